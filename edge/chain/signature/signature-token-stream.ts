import { EventSignatureError } from './event-signature-error.ts'
import { type SignatureToken, tokenizeSignature } from './tokenize-signature.ts'

export class SignatureTokenStream {
  readonly #text: string
  readonly #tokens: readonly SignatureToken[]
  #index = 0

  /** @throws {EventSignatureError} if the text is too long or contains a character that is not allowed */
  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenizeSignature(text)
  }

  get current(): SignatureToken {
    return this.#tokens[this.#index]!
  }

  /** Returns the current token, and advances unless it is the `end` token. */
  next(): SignatureToken {
    const token = this.current
    if (token.kind !== 'end') this.#index++
    return token
  }

  /**
   * @param word required word; any word is accepted if absent
   * @param ahead offset of the token from the current token
   */
  isWord(word?: string, ahead = 0): boolean {
    const token = this.#tokens[this.#index + ahead]
    return token?.kind === 'word' && (word === undefined || token.text === word)
  }

  isPunctuation(mark: string, ahead = 0): boolean {
    const token = this.#tokens[this.#index + ahead]
    return token?.kind === 'mark' && token.text === mark
  }

  accept(mark: string): boolean {
    if (!this.isPunctuation(mark)) return false
    this.#index++
    return true
  }

  /** @throws {EventSignatureError} if the current token is not this mark */
  expect(mark: string, fix: string): void {
    if (!this.accept(mark)) throw this.error(`"${mark}" is missing`, fix)
  }

  error(problem: string, fix: string, at: SignatureToken = this.current): EventSignatureError {
    return new EventSignatureError(this.#text, at.position, problem, fix)
  }
}
