import { RECEIPT_HEADER } from '../../shared/wire/header-names.ts'
import { failureText, logsText, type Outcome } from '../../shared/wire/outcome.ts'
import type { StopReason } from '../credits/run-meter.ts'

/** The response is a 500 with a JSON string as its body, which contains the message, the stack and the logs. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError'
  readonly code: string
  readonly headers: Record<string, string>
  constructor(outcome: FailedOutcome) {
    super(`${failureText(outcome)}\n\nlogs:\n${logsText(outcome.logs)}`)
    this.code = outcome.code
    this.headers = receiptHeader(outcome)
  }
}

/** An action was stopped because credits for its next second of execution could not be reserved. */
export class ActionStoppedError extends Error {
  override readonly name = 'ActionStoppedError'
  readonly code: StopReason
  readonly headers: Record<string, string>
  constructor(outcome: FailedOutcome, code: StopReason) {
    super(outcome.message)
    this.code = code
    this.headers = receiptHeader(outcome)
  }
}

type FailedOutcome = Extract<Outcome, { status: 'failed' }>

/**
 * Returns the receipt of a failed run as a header, because the response body is plain text. Returns no header if the
 * run has no receipt, for example because it ended as `origin_lost`.
 */
function receiptHeader({ receipt }: FailedOutcome): Record<string, string> {
  return receipt === undefined ? {} : { [RECEIPT_HEADER]: receipt }
}
