/** Parses a stack trace from the origin, to find the frames that refer to the action's source. */

export type StackLine = {
  text: string
  /** Position in the action's source, with 1-based numbers. Absent if the line does not refer to the source. */
  place?: { line: number; column: number }
}

const PLACE = /\baction\.js:(\d{1,7}):(\d{1,7})\)?$/

/**
 * Splits a stack trace into lines. Positions are recognized only in stack frames, which start with `at`, because the
 * action controls the error message above them.
 */
export function stackLines(stack: string): StackLine[] {
  return stack.split('\n').map((text) => {
    const found = /^\s+at /.test(text) ? PLACE.exec(text) : null
    if (!found) return { text }
    return { text, place: { line: Number(found[1]), column: Number(found[2]) } }
  })
}
