type StackLine = {
  text: string
  /** 1-based position in the action's source. Absent if the line does not refer to the source. */
  place?: { line: number; column: number }
}

const POSITION = /\baction\.js:(\d{1,7}):(\d{1,7})\)?$/

/**
 * Recognizes positions only in stack frames, which start with `at`, because the action controls the message above them.
 */
export function stackLines(stack: string): StackLine[] {
  return stack.split('\n').map((text) => {
    const found = /^\s+at /.test(text) ? POSITION.exec(text) : null
    if (!found) return { text }
    return { text, place: { line: Number(found[1]), column: Number(found[2]) } }
  })
}
