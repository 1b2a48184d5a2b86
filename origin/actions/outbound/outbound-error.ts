/** Codes of outbound failures that a run can end with; every other failure is the action's own error. */
export type OutboundCode = 'outbound_limit' | 'outbound_response_too_large'

/**
 * Why a request was refused or failed, for the action's author. Says what to do, names the host as the author wrote
 * it, and never an address that a name led to, nor a path or query, which may hold a secret.
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
