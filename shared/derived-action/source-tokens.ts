/**
 * Tokenizes a JavaScript source just well enough to prove that it ends outside of every comment, string, template
 * literal, regular expression and bracket. An engine's parser cannot be used: Workers and pages with a strict content
 * security policy do not allow `eval`.
 * The meaning of a slash depends on the whole grammar. If a slash is ambiguous, the source is rejected, because a wrong
 * guess would confuse code and literals in the rest of the source.
 */
import { commentEnd, templatePartEnd, regexEnd, stringEnd } from './source-literals.ts'
import {
  slashAfterBracket,
  slashAfterPunctuator,
  slashAfterWord,
  type SlashMeaning,
} from './source-slashes.ts'

/** The source is unterminated, unbalanced or ambiguous. */
export class SourceSyntaxError extends Error {
  /** Line number of the error. The first line is 1. */
  readonly line: number
  constructor(what: string, line: number) {
    super(`line ${line}: ${what}`)
    this.name = 'SourceSyntaxError'
    this.line = line
  }
}

type SourceToken = {
  /** Empty for a string, template literal or regular expression. */
  text: string
  depth: number
}

type Bracket = {
  at: number
  closedBy: ')' | ']' | '}'
  /** True if the bracket closes a substitution, after which the template literal continues. */
  inLiteral: boolean
  slashBehind: SlashMeaning
}

const WORD = /(?:[\p{ID_Continue}$\u200c\u200d]+|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))+/uy
const SPACE = /[\s\ufeff]+/y
const LINE_END = /[\n\r\u2028\u2029]/

/** Starts of unusual comments: HTML-like comments, which editors and reviewers see as code, and a script's hashbang. */
const UNUSUAL_COMMENT_STARTS = ['<!--', '-->', '#!']

/** @throws {SourceSyntaxError} */
export function* tokensOf(source: string): Generator<SourceToken, void, undefined> {
  const open: Bracket[] = []
  let at = 0
  let slash = 'begins' as SlashMeaning
  let isLineBegun = false
  let last = ''
  let beforeLast = ''

  const unended = (what: string, where: number) => {
    const line = source.slice(0, where).split(/\r\n|[\n\r\u2028\u2029]/).length
    return new SourceSyntaxError(what, line)
  }
  const token = (text: string, slashBehind: SlashMeaning): SourceToken => {
    slash = slashBehind
    isLineBegun = false
    beforeLast = last
    last = text
    return { text, depth: open.length }
  }
  const value = (end: number | undefined, what: string): SourceToken => {
    if (end === undefined) throw unended(`unterminated ${what}`, at)
    at = end
    return token('', 'divides')
  }
  /**
   * Scans a part of a template literal, which starts after the opening backtick or a substitution. Returns no token if
   * another substitution follows.
   */
  const literal = (from: number): SourceToken[] => {
    const part = templatePartEnd(source, from)
    if (!part || part.isWhole) return [value(part?.end, 'template literal')]
    open.push({ at, closedBy: '}', inLiteral: true, slashBehind: 'unclear' })
    at = part.end
    token('(', 'begins')
    return []
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0]
    at += found?.length ?? 0
    return found
  }

  while (at < source.length) {
    const space = take(SPACE)
    if (space !== undefined) {
      isLineBegun ||= LINE_END.test(space)
      continue
    }
    const from = at
    const character = source[at]!
    const pair = source.slice(at, at + 2)
    if (pair === '//' || pair === '/*') {
      const end = commentEnd(source, at)
      if (end === undefined) throw unended('unterminated comment', at)
      isLineBegun ||= LINE_END.test(source.slice(at, end))
      at = end
      continue
    }
    const odd = UNUSUAL_COMMENT_STARTS.find((sign) => source.startsWith(sign, at))
    if (odd !== undefined)
      throw unended(`${odd} may start a comment; separate the characters with spaces`, at)
    if (character === '"' || character === "'") {
      yield value(stringEnd(source, at), 'string')
      continue
    }
    if (character === '/') {
      // At the start of a line, a slash that looks like a division is one unless the previous line ends a statement, as
      // in `var a`, `break` or `() => {}`.
      if (slash === 'unclear' || (isLineBegun && slash === 'divides'))
        throw unended('ambiguous slash: division or regular expression; use parentheses', at)
      if (slash === 'begins') {
        yield value(regexEnd(source, at), 'regular expression')
        continue
      }
    }
    if (character === '`') {
      yield* literal(at + 1)
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      yield token(word, slashAfterWord(word, last, beforeLast))
      continue
    }
    if (character === '(' || character === '[' || character === '{') {
      at++
      const closedBy = ({ '(': ')', '[': ']', '{': '}' } as const)[character]
      const slashBehind = slashAfterBracket(closedBy, last, beforeLast)
      yield token(character, 'begins')
      open.push({ at: from, closedBy, inLiteral: false, slashBehind })
      continue
    }
    if (character === ')' || character === ']' || character === '}') {
      const bracket = open.pop()
      if (bracket?.closedBy !== character) throw unended(`unmatched ${character}`, at)
      if (bracket.inLiteral) {
        yield* literal(at + 1)
        continue
      }
      at++
      yield token(character, bracket.slashBehind)
      continue
    }
    if (pair === '++' || pair === '--') {
      at += 2
      // A slash after the operator has the same meaning as without the operator. After a line break, both meanings are
      // possible.
      yield token(pair, isLineBegun ? 'unclear' : slash)
      continue
    }
    if (source.startsWith('...', at)) {
      at += 3
      yield token('...', 'begins')
      continue
    }
    at++
    yield token(character, slashAfterPunctuator(character))
  }
  const unclosed = open.pop()
  if (unclosed) throw unended('unclosed bracket', unclosed.at)
}
