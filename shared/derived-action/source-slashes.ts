/**
 * Determines whether a slash is a division or starts a regular expression. In general, this depends on the whole
 * grammar. Ambiguous cases are reported as `unclear`, never guessed.
 */

/** Meaning of a slash. After a value, a slash is a division. Before an operand, it starts a regular expression. */
export type SlashMeaning = 'divides' | 'begins' | 'unclear'

/** Reserved words that are always followed by an operand or a statement. */
const BEFORE_OPERAND = new Set(
  'return typeof instanceof in new delete void throw case do else'.split(' '),
)
/**
 * Words after which a slash is ambiguous. Some are identifiers in some contexts and keywords in others. The rest are
 * statements that a line break can end.
 */
const AMBIGUOUS_WORDS = new Set('of await yield extends default break continue debugger'.split(' '))
const HEADS = new Set(['if', 'while', 'for', 'with'])
/**
 * Punctuators before an operand. All are listed, because any other character may be part of an identifier in a script
 * that this engine does not know yet.
 */
const PUNCTUATORS = new Set('!%&*+,-/:;<=>?^|~')

export function slashAfterWord(word: string, last: string, beforeLast: string): SlashMeaning {
  // After a dot, the word is a property name, unless the dot belongs to a number: `1. in x`.
  if (last === '.' && !/^[0-9]/.test(beforeLast)) return 'divides'
  if (AMBIGUOUS_WORDS.has(word)) return 'unclear'
  if (!BEFORE_OPERAND.has(word)) return 'divides'
  return last === '.' || last === '#' ? 'unclear' : 'begins'
}

export function slashAfterPunctuator(character: string): SlashMeaning {
  return PUNCTUATORS.has(character) ? 'begins' : 'unclear'
}

/**
 * @param last the token before the matching opening bracket
 * @param beforeLast the token before `last`
 */
export function slashAfterBracket(
  closedBy: ')' | ']' | '}',
  last: string,
  beforeLast: string,
): SlashMeaning {
  if (closedBy === ']') return 'divides'
  // The brace closes a block, or an object or function that could be divided.
  if (closedBy === '}') return 'unclear'
  if (HEADS.has(last)) return beforeLast === '.' || beforeLast === '#' ? 'unclear' : 'begins'
  // After `for await (…)`, a slash is ambiguous, because the words may also be the end of one line and the start of the
  // next.
  return last === 'await' && beforeLast === 'for' ? 'unclear' : 'divides'
}
