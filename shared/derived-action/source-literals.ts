/**
 * Finds the ends of literals and comments. The functions return `undefined` for an unterminated literal or comment.
 * They use loops, because a regular expression over a literal of several megabytes overflows the stack.
 */

/** @param at index of the opening quote */
export function stringEnd(source: string, at: number): number | undefined {
  const special = source[at] === '"' ? /["\\\n\r]/g : /['\\\n\r]/g
  special.lastIndex = at + 1
  for (let found = special.exec(source); found; found = special.exec(source)) {
    if (found[0] === source[at]) return special.lastIndex
    if (found[0] !== '\\') return undefined
    special.lastIndex += source.startsWith('\r\n', special.lastIndex) ? 2 : 1
  }
  return undefined
}

/**
 * Returns the end of a template literal, or the position after its next `${`.
 * @param at index after the opening backtick, or after the brace that closes a substitution
 */
export function templatePartEnd(
  source: string,
  at: number,
): { end: number; isWhole: boolean } | undefined {
  const special = /[`\\]|\$\{/g
  special.lastIndex = at
  for (let found = special.exec(source); found; found = special.exec(source)) {
    if (found[0] !== '\\') return { end: special.lastIndex, isWhole: found[0] === '`' }
    special.lastIndex++
  }
  return undefined
}

const LINE_END = /[\n\r\u2028\u2029]/

/**
 * Returns the end of a regular expression without its flags, which are scanned as a word.
 * @param at index of the opening slash
 */
export function regexEnd(source: string, at: number): number | undefined {
  const special = /[/\\[\]\n\r\u2028\u2029]/g
  special.lastIndex = at + 1
  let inClass = false
  for (let found = special.exec(source); found; found = special.exec(source)) {
    if (found[0] === '[') inClass = true
    else if (found[0] === ']') inClass = false
    else if (found[0] === '\\')
      special.lastIndex += LINE_END.test(source[special.lastIndex] ?? '') ? 0 : 1
    else if (found[0] !== '/') return undefined
    else if (!inClass) return special.lastIndex
  }
  return undefined
}

/**
 * Returns the end of a comment. A line comment ends before the line terminator, or at the end of the source.
 * @param at index of the opening slash
 */
export function commentEnd(source: string, at: number): number | undefined {
  if (source[at + 1] === '*') {
    const end = source.indexOf('*/', at + 2)
    return end < 0 ? undefined : end + 2
  }
  const lineEnd = /[\n\r\u2028\u2029]/g
  lineEnd.lastIndex = at + 2
  return lineEnd.exec(source)?.index ?? source.length
}
