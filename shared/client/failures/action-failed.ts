import { SvcError } from './svc-error.ts'

const LOGS = '\n\nlogs:\n'
const FRAME = /\n\s+at /

/**
 * The action ran and failed. `code` contains the cause: the action threw, took too long, or reached a limit. Failed
 * actions are not charged. Their external effects are not undone.
 */
export class ActionFailed extends SvcError {
  override name = 'ActionFailed'
  /** Stack trace, including the message. Empty if the error text contains no stack trace. */
  readonly actionStack: string
  /** Console output of the action, one line per call. */
  readonly logs: string
  /** Receipt of the run, signed by the origin (docs/receipts.md). */
  readonly receipt: string | undefined

  constructor(text: string, facts: ActionErrorFields) {
    const { message, stack, logs } = parseErrorText(text)
    super(message, {
      status: 500,
      code: facts.code,
      fix: 'Correct the action or its params. The run was not charged.',
      requestId: facts.requestId,
    })
    this.actionStack = stack
    this.logs = logs
    this.receipt = facts.receipt
  }
}

type ActionErrorFields = {
  code: string
  requestId: string | undefined
  receipt: string | undefined
}

/**
 * Splits the error text into message, stack and, after a blank line and `logs:`, console output. The action controls
 * all three parts. A separator in the message truncates the message.
 */
function parseErrorText(text: string): { message: string; stack: string; logs: string } {
  const at = text.indexOf(LOGS)
  const failure = at < 0 ? text : text.slice(0, at)
  const logs = at < 0 ? '' : text.slice(at + LOGS.length)
  const frame = FRAME.exec(failure)
  if (!frame) return { message: failure, stack: '', logs }
  return { message: failure.slice(0, frame.index), stack: failure, logs }
}
