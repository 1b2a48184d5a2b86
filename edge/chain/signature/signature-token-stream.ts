import { EventSignatureError } from './event-signature-error.ts'

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

/** Token of an event signature. `position` is its offset in the text. The last token is always `end`. */
type SignatureToken = {
  kind: 'word' | 'number' | 'mark' | 'end'
  text: string
  position: number
}

/**
 * Maximum length of a signature, which is stored in records and runs. A signature with long names and the most
 * arguments that compilers support has about 1,000 characters.
 */
const SIGNATURE_MAX_CHARACTERS = 2_048

const SPACE = /[ \t\r\n]*/y
const TOKEN = /([A-Za-z_$][\w$]*)|(\d+)|[()[\],;.]/y

/** @throws {EventSignatureError} if the text is too long or contains a character that is not allowed */
function tokenizeSignature(text: string): SignatureToken[] {
  if (text.length > SIGNATURE_MAX_CHARACTERS)
    throw new EventSignatureError(
      text,
      SIGNATURE_MAX_CHARACTERS,
      `${text.length} characters; the limit is ${SIGNATURE_MAX_CHARACTERS}`,
      'remove names and spaces',
    )
  const tokens: SignatureToken[] = []
  let position = 0
  for (;;) {
    SPACE.lastIndex = position
    SPACE.exec(text)
    position = SPACE.lastIndex
    if (position === text.length) return [...tokens, { kind: 'end', text: '', position }]
    TOKEN.lastIndex = position
    const [found, word, number] = TOKEN.exec(text) ?? []
    if (found === undefined) throw unexpectedCharacter(text, position)
    const kind = word !== undefined ? 'word' : number !== undefined ? 'number' : 'mark'
    tokens.push({ kind, text: found, position })
    position = TOKEN.lastIndex
  }
}

function unexpectedCharacter(text: string, position: number): EventSignatureError {
  const character = String.fromCodePoint(text.codePointAt(position)!)
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  // Text copied from web pages can contain invisible characters, so the error shows the code point.
  const shown = /^[!-~]$/.test(character) ? JSON.stringify(character) : `the character U+${code}`
  return new EventSignatureError(
    text,
    position,
    `${shown} is not allowed in a signature`,
    'write, for example, Transfer(address,address,uint256)',
  )
}
