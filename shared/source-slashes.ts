/**
 * Decides from the preceding tokens whether a slash in JavaScript divides or starts a regular expression. A complete
 * answer requires the whole grammar. Ambiguous cases are reported as `unclear`, never guessed.
 */

/**
 * Meaning of a slash at the current position. After a value it divides; before an operand it starts a regular
 * expression.
 */
export type Slash = 'divides' | 'begins' | 'unclear'

/** Reserved words that are always followed by an operand or a statement. */
const BEFORE_OPERAND = new Set(
  'return typeof instanceof in new delete void throw case do else'.split(' '),
)
/**
 * Words after which a slash is ambiguous. Some are identifiers in some contexts and keywords in others; the rest are
 * statements that a line break can end.
 */
const UNCLEAR = new Set('of await yield extends default break continue debugger'.split(' '))
/** Keywords followed by a parenthesized head. A statement starts after the closing parenthesis. */
const HEADS = new Set(['if', 'while', 'for', 'with'])
/**
 * Single-character punctuators. They are listed, because any other character may be part of an identifier in a script
 * that this engine does not know yet.
 */
const PUNCTUATORS = new Set('!%&*+,-/:;<=>?^|~')

/** Returns the meaning of a slash after a word, given the two tokens before it. */
export function behindWord(word: string, last: string, beforeLast: string): Slash {
  // The word is a property name, unless the dot belongs to a number: `1. in x`.
  if (last === '.' && !/^[0-9]/.test(beforeLast)) return 'divides'
  if (UNCLEAR.has(word)) return 'unclear'
  if (!BEFORE_OPERAND.has(word)) return 'divides'
  return last === '.' || last === '#' ? 'unclear' : 'begins'
}

/** Returns the meaning of a slash after a single-character sign other than a bracket. */
export function behindSign(character: string): Slash {
  return PUNCTUATORS.has(character) ? 'begins' : 'unclear'
}

/**
 * Returns the meaning of a slash after a closing bracket.
 * @param last the token before the matching opening bracket
 * @param beforeLast the token before `last`
 */
export function behindBracket(closedBy: ')' | ']' | '}', last: string, beforeLast: string): Slash {
  if (closedBy === ']') return 'divides'
  // The brace closes either a block, or an object or function that could be divided.
  if (closedBy === '}') return 'unclear'
  if (HEADS.has(last)) return beforeLast === '.' || beforeLast === '#' ? 'unclear' : 'begins'
  // `for await (…)` is ambiguous with the end of one line followed by the start of the next.
  return last === 'await' && beforeLast === 'for' ? 'unclear' : 'divides'
}
