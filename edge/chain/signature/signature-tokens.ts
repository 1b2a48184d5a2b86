import { SignatureRefused } from './signature-refused.ts'
import { type Token, tokensOf } from './tokens.ts'

export class SignatureTokens {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  /** @throws {SignatureRefused} if the text is too long or contains a character that is not allowed */
  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  get here(): Token {
    return this.#tokens[this.#at]!
  }

  /** Returns the current token and advances. Stays at the `end` token. */
  next(): Token {
    const token = this.here
    if (token.kind !== 'end') this.#at++
    return token
  }

  /**
   * @param word any word if absent
   * @param ahead offset of the token from the current one
   */
  isWord(word?: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'word' && (word === undefined || token.text === word)
  }

  isMark(mark: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'mark' && token.text === mark
  }

  /** Consumes the current token and returns true if it is the given punctuation mark. */
  take(mark: string): boolean {
    if (!this.isMark(mark)) return false
    this.#at++
    return true
  }

  /** @throws {SignatureRefused} if the current token is not the given mark */
  expect(mark: string, fix: string): void {
    if (!this.take(mark)) throw this.refused(`"${mark}" is missing`, fix)
  }

  /** @param at token of which the error gives the position */
  refused(problem: string, fix: string, at: Token = this.here): SignatureRefused {
    return new SignatureRefused(this.#text, at.position, problem, fix)
  }
}
