/** Parses a stack trace from the origin, to find the lines that refer to the action's source. */

export type StackLine = {
  text: string
  /** Position in the source; both numbers are 1-based. */
  place?: { line: number; column: number }
}

const PLACE = /\baction\.js:(\d{1,7}):(\d{1,7})\)?$/

/** Recognizes only stack frames, which start with `at`: the action controls the message above them. */
export function stackLines(stack: string): StackLine[] {
  return stack.split('\n').map((text) => {
    const found = /^\s+at /.test(text) ? PLACE.exec(text) : null
    if (!found) return { text }
    return { text, place: { line: Number(found[1]), column: Number(found[2]) } }
  })
}
