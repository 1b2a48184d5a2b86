import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { WORD_DIGITS, type WordType, wordFits } from './abi-word.ts'
import { bytesBits, lengthBits, textBits, wordBits } from './value-bits.ts'

const NO_MATCH = -1

/**
 * Scores how unusual the data would be if it were the canonical ABI encoding of given types; a higher score is more
 * unusual. In a canonical encoding, the values follow one another in order, without gaps, overlaps or extra data. The
 * data is scored without being decoded to values.
 */
export class EncodingScorer {
  readonly #hex: string
  #bits = 0
  #wordsLeft: number
  /**
   * Cached scores of words in bits, by type and position. They are reused because most choices of indexed arguments put
   * the same types at the same positions.
   */
  readonly #wordScores = new Map<WordType, number[]>()

  /**
   * @param hex lower-case hex digits, a whole number of words
   * @param words maximum number of words to read in total; a limit is necessary because an event can have thousands of
   *   possible choices of indexed arguments
   */
  constructor(hex: string, words: number) {
    this.#hex = hex
    this.#wordsLeft = words
  }

  /** True if more words were read than permitted. The scores are then meaningless. */
  get isBudgetSpent(): boolean {
    return this.#wordsLeft < 0
  }

  /**
   * Returns the score of the data in bits, where more bits mean more unusual. Returns undefined if the data is not a
   * canonical encoding of the types.
   */
  scoreAs(types: readonly AbiType[]): number | undefined {
    this.#bits = 0
    return this.#sequence(types, 0) === this.#hex.length ? this.#bits : undefined
  }

  /** Returns the position after the encoded sequence, or `NO_MATCH`. */
  #sequence(types: readonly AbiType[], start: number): number {
    let head = start
    let end = start
    for (const type of types) end += headWords(type) * WORD_DIGITS
    if (end > this.#hex.length) return NO_MATCH
    for (const type of types) {
      const hasOffset = isDynamic(type)
      if (hasOffset && this.#count(head) * 2 !== end - start) return NO_MATCH
      const valueEnd = this.#value(type, hasOffset ? end : head)
      if (valueEnd === NO_MATCH) return NO_MATCH
      if (hasOffset) end = valueEnd
      head += headWords(type) * WORD_DIGITS
    }
    return end
  }

  /**
   * Scores the elements of an array. The data determines the length, so no work is done for an element before it is
   * charged to the word budget.
   * @returns the position after the encoding, or `NO_MATCH`
   */
  #elements(of: AbiType, length: number, start: number): number {
    const hasOffset = isDynamic(of)
    const step = headWords(of) * WORD_DIGITS
    let end = start + length * step
    if (end > this.#hex.length) return NO_MATCH
    for (let place = 0; place < length; place++) {
      const head = start + place * step
      if (hasOffset && this.#count(head) * 2 !== end - start) return NO_MATCH
      const valueEnd = this.#value(of, hasOffset ? end : head)
      if (valueEnd === NO_MATCH) return NO_MATCH
      if (hasOffset) end = valueEnd
    }
    return end
  }

  #value(type: AbiType, at: number): number {
    switch (type.kind) {
      case 'tuple':
        return this.#sequence(type.members, at)
      case 'array': {
        const length = type.length ?? this.#count(at)
        if (length > this.#hex.length / WORD_DIGITS) return NO_MATCH
        if (type.length === null) this.#bits += lengthBits(length)
        return this.#elements(type.of, length, type.length === null ? at + WORD_DIGITS : at)
      }
      case 'string':
      case 'bytes':
        return this.#bytes(type.kind, at)
      case 'address':
      case 'bool':
      case 'uint':
      case 'int':
      case 'fixed_bytes':
        return this.#word(type, at)
    }
  }

  #word(type: WordType, at: number): number {
    if (--this.#wordsLeft < 0) return NO_MATCH
    let scores = this.#wordScores.get(type)
    if (!scores) this.#wordScores.set(type, (scores = []))
    const bits = (scores[at / WORD_DIGITS] ??= this.#bitsOfWord(type, at))
    this.#bits += bits
    return bits === Infinity ? NO_MATCH : at + WORD_DIGITS
  }

  #bitsOfWord(type: WordType, at: number): number {
    const word = this.#hex.slice(at, at + WORD_DIGITS)
    return word.length === WORD_DIGITS && wordFits(type, word) ? wordBits(type, word) : Infinity
  }

  #bytes(kind: 'string' | 'bytes', at: number): number {
    const length = this.#count(at)
    const start = at + WORD_DIGITS
    const end = start + Math.ceil((length * 2) / WORD_DIGITS) * WORD_DIGITS
    if (end > this.#hex.length) return NO_MATCH
    this.#wordsLeft -= (end - start) / WORD_DIGITS
    if (this.#wordsLeft < 0) return NO_MATCH
    const digits = this.#hex.slice(start, start + length * 2)
    if (/[^0]/.test(this.#hex.slice(start + length * 2, end))) return NO_MATCH
    this.#bits += lengthBits(length) + (kind === 'string' ? textBits(digits) : bytesBits(digits))
    return end
  }

  /** Returns Infinity if the data does not contain a whole word at the position. */
  #count(at: number): number {
    this.#wordsLeft--
    const word = this.#hex.slice(at, at + WORD_DIGITS)
    return word.length < WORD_DIGITS ? Infinity : Number.parseInt(word, 16)
  }
}
