import type { SourcePosition } from '../../errors/api-error.ts'

export type SvcErrorFields = {
  /** HTTP status. Absent if there was no response. */
  status?: number | undefined
  /** The most specific code in the response, such as `spend_cap_reached` or `action_threw`, or a code of the client. */
  code: string
  /** Advice from the service if the response contains any, otherwise from the client. */
  fix: string
  /** Value of `x-request-id` in the response, for reports to the operator of the service. */
  requestId?: string | undefined
  /** Position of the error in an action's source, for `source_does_not_compile`. */
  position?: SourcePosition | undefined
}

/** Base class of all errors that the client throws. The message never contains a key, a token or a signature. */
export class SvcError extends Error {
  readonly status: number | undefined
  readonly code: string
  readonly fix: string
  readonly requestId: string | undefined
  /** Line and column of a syntax error in an action's source (`source_does_not_compile`). Both start at 1. */
  readonly position: SourcePosition | undefined

  constructor(
    message: string,
    { status, code, fix, requestId, position }: SvcErrorFields,
    options?: ErrorOptions,
  ) {
    super(message, options)
    // Subclasses that callers identify by name set the name in a field, because a bundler may shorten class names.
    this.name = new.target.name
    this.status = status
    this.code = code
    this.fix = fix
    this.requestId = requestId
    this.position = position
  }
}
