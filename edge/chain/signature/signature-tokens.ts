import { SignatureRefused } from './signature-refused.ts'
import { type Token, tokensOf } from './tokens.ts'

export class SignatureTokens {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  /** @throws {SignatureRefused} if a character is not allowed in a signature */
  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  get here(): Token {
    return this.#tokens[this.#at]!
  }

  /** Consumes the current token, unless it is the end. */
  next(): Token {
    const token = this.here
    if (token.kind !== 'end') this.#at++
    return token
  }

  /** @param ahead offset from the current token */
  isWord(word?: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'word' && (word === undefined || token.text === word)
  }

  isMark(mark: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'mark' && token.text === mark
  }

  /**
   * Consumes the mark if it is next.
   * @returns true if it was
   */
  take(mark: string): boolean {
    if (!this.isMark(mark)) return false
    this.#at++
    return true
  }

  /** @throws {SignatureRefused} */
  expect(mark: string, fix: string): void {
    if (!this.take(mark)) throw this.refused(`"${mark}" is missing`, fix)
  }

  /** Creates an error for the current token, or for `at`. */
  refused(problem: string, fix: string, at: Token = this.here): SignatureRefused {
    return new SignatureRefused(this.#text, at.position, problem, fix)
  }
}
