/**
 * Data that all errors of the client have in common. `failures/` defines the error classes, and `answers.ts` creates
 * errors from responses.
 */
export type FailureFacts = {
  /** HTTP status of the response. Absent if there was no response. */
  status?: number | undefined
  /**
   * Error code: the most specific one in the response, such as `spend_cap_reached` or `action_threw`, or else one that
   * the client defines.
   */
  code: string
  /** Advice on how to fix the error: from the service if the response has any, otherwise from the client. */
  fix: string
  /** Request ID (`x-request-id`) of the response, for reports to the operator of the service. */
  requestId?: string | undefined
}

/** Base class of all errors that the client throws. The message never contains a key, a token or a signature. */
export class SvcError extends Error {
  readonly status: number | undefined
  readonly code: string
  readonly fix: string
  readonly requestId: string | undefined

  constructor(
    message: string,
    { status, code, fix, requestId }: FailureFacts,
    options?: ErrorOptions,
  ) {
    super(message, options)
    // Subclasses that callers identify by name set it in a field, because a bundler may shorten class names.
    this.name = new.target.name
    this.status = status
    this.code = code
    this.fix = fix
    this.requestId = requestId
  }
}
