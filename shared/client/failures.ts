/** The base of what a call of the client throws; `failures/` has the classes, and `answers.ts` makes them of answers. */
export type FailureFacts = {
  /** Of HTTP; absent where no answer came. */
  status?: number | undefined
  /** The finest name that the answer gives, such as `spend_cap_reached` or `action_threw`; else a name of ours. */
  code: string
  /** What to do about it, as the service says; a sentence of ours where it says nothing. */
  fix: string
  /** `x-request-id` of the answer, to name to who runs the service. */
  requestId?: string | undefined
}

/** Never with a key, a token or a signature in its text. */
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
    // Classes that are told apart by name say theirs in a field: a bundler may shorten this one.
    this.name = new.target.name
    this.status = status
    this.code = code
    this.fix = fix
    this.requestId = requestId
  }
}
