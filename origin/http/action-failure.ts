import { RECEIPT_HEADER } from '../../shared/receipt-header.ts'
import { failureText, logsText, type Outcome } from '../../shared/wire/outcome.ts'
import type { Shortage } from '../credits/run-meter.ts'

/** The response is a 500 with the message, the stack and the logs as a JSON string. */
export class ActionFailed extends Error {
  readonly code: string
  readonly headers: Record<string, string>
  constructor(outcome: Failed) {
    super(`${failureText(outcome)}\n\nlogs:\n${logsText(outcome.logs)}`)
    this.name = 'ActionFailed'
    this.code = outcome.code
    this.headers = receiptHeader(outcome)
  }
}

/** An action was stopped, because its next second of execution could not be reserved. */
export class ActionStopped extends Error {
  readonly code: Shortage
  readonly headers: Record<string, string>
  constructor(outcome: Failed, code: Shortage) {
    super(outcome.message)
    this.name = 'ActionStopped'
    this.code = code
    this.headers = receiptHeader(outcome)
  }
}

type Failed = Extract<Outcome, { status: 'failed' }>

/** Receipt of a failed run, sent as a header because the body is plain text; absent if the origin lost the run. */
function receiptHeader({ receipt }: Failed): Record<string, string> {
  return receipt === undefined ? {} : { [RECEIPT_HEADER]: receipt }
}
