/**
 * The tokens of a JavaScript source, as far as it takes to know that it ends where it seems to: outside of every comment,
 * string, template literal, regular expression and bracket. No engine is asked, since a Worker and a page under a strict
 * content policy have none to ask (`eval`).
 */
import { commentEnd, literalPartEnd, regexEnd, stringEnd } from './source-literals.ts'

/** A source that goes on behind its end, or has a bracket that does not fit. */
export class SourceUnended extends Error {
  /** From 1. */
  readonly line: number
  constructor(what: string, line: number) {
    super(`line ${line}: ${what}`)
    this.name = 'SourceUnended'
    this.line = line
  }
}

export type Token = {
  /** A word, number or punctuator as it is written; `''` for a string, a template literal, a regular expression. */
  text: string
  /** Brackets that are open around it. */
  depth: number
}

type Bracket = {
  at: number
  closedBy: ')' | ']' | '}'
  /** Of a template literal, which goes on behind it. */
  inLiteral: boolean
  /** Whether a slash behind it begins a regular expression: it ends a statement's head or a block, and no value. */
  regexBehind: boolean
}

const WORD = /(?:[\p{ID_Continue}$\u200c\u200d]+|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))+/uy
const SPACE = /[\s\ufeff]+/y

/** Before what is an operand, so that a slash begins a regular expression, and a brace an object. */
const OPERATORS = new Set(
  'return typeof instanceof in of new delete void throw case await yield'.split(' '),
)
const HEADS = new Set(['if', 'while', 'for', 'with'])
/** Before a statement. */
const CLAUSES = new Set(['do', 'else'])

/** @throws {SourceUnended} */
export function* tokensOf(source: string): Generator<Token, void, undefined> {
  const open: Bracket[] = []
  let at = 0
  let regexHere = true
  let last = ''
  let beforeLast = ''

  const unended = (what: string, where: number) => new SourceUnended(what, lineOf(source, where))
  const token = (text: string): Token => {
    beforeLast = last
    last = text
    return { text, depth: open.length }
  }
  const value = (end: number | undefined, what: string): Token => {
    if (end === undefined) throw unended(`${what} that does not end`, at)
    at = end
    regexHere = false
    return token('')
  }
  /** From behind its backtick, or behind the brace of a part of it; nothing where another part comes first. */
  const literal = (from: number): Token[] => {
    const part = literalPartEnd(source, from)
    if (!part || part.isWhole) return [value(part?.end, 'a template literal')]
    open.push({ at, closedBy: '}', inLiteral: true, regexBehind: false })
    at = part.end
    regexHere = true
    last = '('
    return []
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0]
    at += found?.length ?? 0
    return found
  }

  while (at < source.length) {
    if (take(SPACE) !== undefined) continue
    const from = at
    const character = source[at]!
    const pair = source.slice(at, at + 2)
    if (pair === '//' || pair === '/*') {
      const end = commentEnd(source, at)
      if (end === undefined) throw unended('a comment that does not end', at)
      at = end
      continue
    }
    if (character === '"' || character === "'") {
      yield value(stringEnd(source, at), 'a string')
      continue
    }
    if (character === '/' && regexHere) {
      yield value(regexEnd(source, at), 'a regular expression')
      continue
    }
    if (character === '`') {
      yield* literal(at + 1)
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      regexHere = last !== '.' && (OPERATORS.has(word) || CLAUSES.has(word))
      yield token(word)
      continue
    }
    if (character === '(' || character === '[' || character === '{') {
      at++
      const bracket = opened(character, { at: from, last, beforeLast, regexHere })
      yield token(character)
      open.push(bracket)
      regexHere = true
      continue
    }
    if (character === ')' || character === ']' || character === '}') {
      const bracket = open.pop()
      if (bracket?.closedBy !== character) throw unended(`a ${character} that nothing opens`, at)
      if (bracket.inLiteral) {
        yield* literal(at + 1)
        continue
      }
      at++
      regexHere = bracket.regexBehind
      yield token(character)
      continue
    }
    // ++ and -- stand before an operand or behind one, and change nothing about what comes next.
    const isStep = pair === '++' || pair === '--'
    at += isStep ? 2 : 1
    if (!isStep) regexHere = true
    yield token(isStep ? pair : character)
  }
  const unclosed = open.pop()
  if (unclosed) throw unended('a bracket that is not closed', unclosed.at)
}

function opened(
  bracket: '(' | '[' | '{',
  before: { at: number; last: string; beforeLast: string; regexHere: boolean },
): Bracket {
  const { at, last, beforeLast, regexHere } = before
  if (bracket === '[') return { at, closedBy: ']', inLiteral: false, regexBehind: false }
  if (bracket === '(') {
    const isHead = HEADS.has(last) ? beforeLast !== '.' : last === 'await' && beforeLast === 'for'
    return { at, closedBy: ')', inLiteral: false, regexBehind: isHead }
  }
  // Where an operand is expected, and no statement: an object, or the body of an arrow function.
  const isValue = regexHere && !['', ';', '{', '}', ')', ...CLAUSES].includes(last)
  return { at, closedBy: '}', inLiteral: false, regexBehind: !isValue }
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/).length
}
