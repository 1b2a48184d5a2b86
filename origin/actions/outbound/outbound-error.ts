/** Codes of outbound failures that can become the failure of a run. Every other failure is the action's own error. */
export type OutboundCode = 'outbound_limit' | 'outbound_response_too_large'

/**
 * A request that was refused or failed, described for the action's author. The message explains what to do and names
 * the host as the author wrote it. It never contains an address that a name resolved to, nor a path or query, which may
 * contain a secret.
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
