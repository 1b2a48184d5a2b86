/**
 * What a slash is behind a token of a JavaScript source, as far as the tokens before it tell. Which of the two it is depends
 * on all of the grammar: what is not plain is `unclear`, and never guessed.
 */

/** What a slash would be at this place: it divides behind a value, and begins a regular expression before one. */
export type Slash = 'divides' | 'begins' | 'unclear'

/** Always before an operand or a statement; they are nobody's name. */
const BEFORE_OPERAND = new Set(
  'return typeof instanceof in new delete void throw case do else'.split(' '),
)
/** Names in one place and before an operand in another, or before a line's end that ends a statement. */
const UNCLEAR = new Set('of await yield extends default break continue debugger'.split(' '))
/** Behind the parenthesis of one a statement begins. */
const HEADS = new Set(['if', 'while', 'for', 'with'])
/** Of one character; a name in a script that this engine does not know yet is none of them. */
const PUNCTUATORS = new Set('!%&*+,-/:;<=>?^|~')

/** Behind a word, between the two tokens before it and what comes. */
export function behindWord(word: string, last: string, beforeLast: string): Slash {
  // A property's name, unless the dot is a number's: `1. in x`.
  if (last === '.' && !/^[0-9]/.test(beforeLast)) return 'divides'
  if (UNCLEAR.has(word)) return 'unclear'
  if (!BEFORE_OPERAND.has(word)) return 'divides'
  return last === '.' || last === '#' ? 'unclear' : 'begins'
}

/** Behind a sign of one character that is no bracket. */
export function behindSign(character: string): Slash {
  return PUNCTUATORS.has(character) ? 'begins' : 'unclear'
}

/** @param last the word before the bracket that this one closes, and the token before it */
export function behindBracket(closedBy: ')' | ']' | '}', last: string, beforeLast: string): Slash {
  if (closedBy === ']') return 'divides'
  // A block, or an object or function that could be divided.
  if (closedBy === '}') return 'unclear'
  if (HEADS.has(last)) return beforeLast === '.' || beforeLast === '#' ? 'unclear' : 'begins'
  // `for await (…)`: the end of one line and the begin of the next can look like it.
  return last === 'await' && beforeLast === 'for' ? 'unclear' : 'divides'
}
