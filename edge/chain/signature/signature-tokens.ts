import { SignatureRefused } from './signature-refused.ts'
import { type Token, tokensOf } from './tokens.ts'

export class SignatureTokens {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  /** @throws {SignatureRefused} if the text is too long or contains a character that is not allowed in a signature */
  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  get here(): Token {
    return this.#tokens[this.#at]!
  }

  /** Returns the current token and advances to the next one. Stays at the `end` token. */
  next(): Token {
    const token = this.here
    if (token.kind !== 'end') this.#at++
    return token
  }

  /**
   * Returns true if a token is a word, or the given word.
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

  /**
   * Consumes the current token if it is the given punctuation mark.
   * @returns true if the mark was consumed
   */
  take(mark: string): boolean {
    if (!this.isMark(mark)) return false
    this.#at++
    return true
  }

  /**
   * Consumes the given punctuation mark.
   * @throws {SignatureRefused} if the current token is something else
   */
  expect(mark: string, fix: string): void {
    if (!this.take(mark)) throw this.refused(`"${mark}" is missing`, fix)
  }

  /** Creates an error with the position of the current token, or of the token `at`. */
  refused(problem: string, fix: string, at: Token = this.here): SignatureRefused {
    return new SignatureRefused(this.#text, at.position, problem, fix)
  }
}
