import { SvcError } from '../failures.ts'

const LOGS = '\n\nlogs:\n'
const FRAME = /\n\s+at /

/**
 * An action that ran and failed (`decisions.md`, failed action): it threw, took too long, or reached a limit; `code`
 * says which. Not charged. Its effects outside stay.
 */
export class ActionFailed extends SvcError {
  override name = 'ActionFailed'
  /** The action's own, with the message; empty where it has none. */
  readonly actionStack: string
  /** Console output, a line each call. */
  readonly logs: string
  /** What the origin signed of the run (docs/receipts.md). */
  readonly receipt: string | undefined

  constructor(text: string, facts: ActionFacts) {
    const { message, stack, logs } = partsOf(text)
    super(message, {
      status: 500,
      code: facts.code,
      fix: 'Correct the action, or what it was given; it was not charged.',
      requestId: facts.requestId,
    })
    this.actionStack = stack
    this.logs = logs
    this.receipt = facts.receipt
  }
}

type ActionFacts = { code: string; requestId: string | undefined; receipt: string | undefined }

/**
 * The text of a failed action taken apart: message, stack, and after a blank line `logs:` and the console output. The
 * action writes all three. Where its message has that line in it, the message ends there.
 */
function partsOf(text: string): { message: string; stack: string; logs: string } {
  const at = text.indexOf(LOGS)
  const failure = at < 0 ? text : text.slice(0, at)
  const logs = at < 0 ? '' : text.slice(at + LOGS.length)
  const frame = FRAME.exec(failure)
  if (!frame) return { message: failure, stack: '', logs }
  return { message: failure.slice(0, frame.index), stack: failure, logs }
}
