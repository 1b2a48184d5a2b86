/** What the origin's double answers to a passed-on request: by the header `x-double`, else it says what it was asked. */
export type CoreScript = {
  status?: number
  headers?: [string, string][]
  /** The body; absent: what was asked, as JSON. */
  text?: string
  /** Bytes before the sealed answer. */
  pads?: number
  /** The connection is cut, after the request was taken. */
  break?: true
  /** In the clear, with this status, as a proxy on the way answers. */
  unsealed?: number
  /** Refused inside the envelope before it was looked at. */
  refuse?: { status: number; error: string; reason?: string; retry_after_s?: number }
}

export type Asked = {
  method: string
  path: string
  query: string
  headers: Record<string, string>
  /** Base64. */
  body: string
  sealed: boolean
  client_address?: string
}

/** As a header: in ASCII. */
export const asHeader = (script: CoreScript) => ({
  'x-double': JSON.stringify(script).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
})
