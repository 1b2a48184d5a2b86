import type { FailureSummary } from './report.ts'

/** Characters of a message that are reported. The run history has the whole text. */
export const REPORTED_MESSAGE_MAX = 500
const REPORTED_FRAME_MAX = 200

/** The prefix of all errors but those that the action threw: `code: message` or `status code: message`. */
const CODE = /^(?:\d{3} )?([a-z][a-z0-9_]{0,63}): /

const FRAME = /^\s+at \S/

/**
 * Splits the error text of a run, as `edge/queue/verdict.ts` writes it.
 *
 * @example
 * summarizeFailure('TypeError: x is not a function\n    at main (action.js:2:3)')
 * // { code: 'action_threw', message: 'TypeError: x is not a function', frame: 'at main (action.js:2:3)' }
 */
export function summarizeFailure(error: string): FailureSummary {
  const [prefix, code] = CODE.exec(error) ?? ['', 'action_threw']
  const lines = error.slice(prefix.length).split('\n')
  const first = lines.findIndex((line) => FRAME.test(line))
  const message = (first < 0 ? lines : lines.slice(0, first)).join('\n').trim()
  const frame = lines[first]?.trim().slice(0, REPORTED_FRAME_MAX) ?? null
  return { code: code!, message: message.slice(0, REPORTED_MESSAGE_MAX), frame }
}
