import { SignatureRefused } from './signature-refused.ts'
import { type Token, tokensOf } from './tokens.ts'

/** The tokens of a signature, read from the first to the end. */
export class SignatureTokens {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  /** @throws {SignatureRefused} for a character that has no place in a signature */
  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  get here(): Token {
    return this.#tokens[this.#at]!
  }

  /** Takes the token that is here; the end stays. */
  next(): Token {
    const token = this.here
    if (token.kind !== 'end') this.#at++
    return token
  }

  /** @param ahead how many tokens further */
  isWord(word?: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'word' && (word === undefined || token.text === word)
  }

  isMark(mark: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'mark' && token.text === mark
  }

  /** @returns whether it was there */
  take(mark: string): boolean {
    if (!this.isMark(mark)) return false
    this.#at++
    return true
  }

  /** @throws {SignatureRefused} */
  expect(mark: string, fix: string): void {
    if (!this.take(mark)) throw this.refused(`"${mark}" is missing`, fix)
  }

  /** What is wrong with the token that is here, or with another one. */
  refused(problem: string, fix: string, at: Token = this.here): SignatureRefused {
    return new SignatureRefused(this.#text, at.position, problem, fix)
  }
}
