/** Scripted response of the origin double, from the header `x-double`. Without it, the double echoes the request. */
export type CoreScript = {
  status?: number
  headers?: [string, string][]
  /** Response body; by default the request as JSON. */
  text?: string
  /** Padding bytes before the sealed response. */
  pads?: number
  /** Closes the connection after the request was received. */
  break?: true
  /** Status of an unsealed response, as from a proxy in between. */
  unsealed?: number
  /** Error inside the envelope, before the request is processed. */
  refuse?: { status: number; error: string; reason?: string; retry_after_s?: number }
}

export type Asked = {
  method: string
  path: string
  query: string
  headers: Record<string, string>
  body: string
  sealed: boolean
  client_address?: string
  /** Usage key of an account link, opened. */
  stored_key?: string
}

/** Formats the script as a header, in ASCII. */
export const asHeader = (script: CoreScript) => ({
  'x-double': JSON.stringify(script).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
})
