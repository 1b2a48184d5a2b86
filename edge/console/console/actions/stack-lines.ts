/** A stack, as the origin hands it on: which of its lines are lines of the source. */

export type StackLine = {
  text: string
  /** Of the source, both from 1. */
  place?: { line: number; column: number }
}

const PLACE = /\baction\.js:(\d{1,7}):(\d{1,7})\)?$/

/** The action writes its own message: only frames below it count, which begin with `at`. */
export function stackLines(stack: string): StackLine[] {
  return stack.split('\n').map((text) => {
    const found = /^\s+at /.test(text) ? PLACE.exec(text) : null
    if (!found) return { text }
    return { text, place: { line: Number(found[1]), column: Number(found[2]) } }
  })
}
