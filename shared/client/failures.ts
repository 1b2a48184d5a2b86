/**
 * Base of the errors that the client throws. `failures/` defines the classes, and `answers.ts` creates them from
 * responses.
 */
export type FailureFacts = {
  /** HTTP status; absent if there was no response. */
  status?: number | undefined
  /** The most specific name in the response, such as `spend_cap_reached` or `action_threw`; otherwise one of our own. */
  code: string
  /** Advice from the service; otherwise our own. */
  fix: string
  /** `x-request-id` of the response, to quote to the operator of the service. */
  requestId?: string | undefined
}

/** Base class of all errors of the client. The text never contains a key, a token or a signature. */
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
    // Subclasses that are identified by name set it in a field, because a bundler may shorten class names.
    this.name = new.target.name
    this.status = status
    this.code = code
    this.fix = fix
    this.requestId = requestId
  }
}
