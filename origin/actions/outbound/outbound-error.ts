/** Error codes that become the failure code of the run if the action does not catch the error. */
export type OutboundCode = 'outbound_limit' | 'outbound_response_too_large'

/**
 * An outbound request was refused or failed. The message is shown to the action's author. It explains what to do, and
 * names the host as the author wrote it. It never contains an address that a name resolved to, or a path or query,
 * which may contain a secret.
 */
export class OutboundError extends Error {
  readonly outboundCode: OutboundCode | undefined

  constructor(message: string, code?: OutboundCode) {
    super(message)
    this.outboundCode = code
  }
}

export function abortedError(): OutboundError {
  return new OutboundError('the request was aborted')
}

export const lateResponse = (named: string, timeoutMs: number): string =>
  `${named} did not respond within ${timeoutMs / 1000} s`
