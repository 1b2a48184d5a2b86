type FailureFacts = { statusCode?: number; isGone?: boolean; cause?: unknown }

/** An attempt to deliver an alert failed. The message is shown to the user. */
export class AttemptFailedError extends Error {
  /** HTTP status of a webhook's response. Null without a response. */
  readonly statusCode: number | null
  /** True if the receiver does not exist anymore, so that its channel has to be disabled. */
  readonly isGone: boolean

  constructor(message: string, { statusCode, isGone, cause }: FailureFacts = {}) {
    super(message, { cause })
    this.name = 'AttemptFailedError'
    this.statusCode = statusCode ?? null
    this.isGone = isGone ?? false
  }
}

/** A retry cannot succeed. */
export class UndeliverableError extends AttemptFailedError {
  override name = 'UndeliverableError'
}
