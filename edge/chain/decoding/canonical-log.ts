import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { WORD, type WordType, wordFits } from './abi-word.ts'
import { bytesBits, lengthBits, textBits, wordBits } from './value-bits.ts'

/** The data is not an encoding of the types. */
const NONE = -1

/**
 * Scores how unusual data is as a canonical ABI encoding of given types: every word occurs once and in order. Does not
 * construct any values.
 */
export class CanonicalLog {
  readonly #hex: string
  #bits = 0
  #wordsLeft: number
  /**
   * Word scores in bits, by type and position. Most choices of indexed arguments put the same types at the same
   * positions.
   */
  readonly #told = new Map<WordType, number[]>()

  /**
   * @param hex lower-case hex digits, a whole number of words
   * @param words maximum number of words to read in total, because an event can have thousands of possible choices of
   *   indexed arguments
   */
  constructor(hex: string, words: number) {
    this.#hex = hex
    this.#wordsLeft = words
  }

  /** True once the word budget is used up. Results are then meaningless. */
  get isSpent(): boolean {
    return this.#wordsLeft < 0
  }

  /** How unusual the data is, in bits; undefined if it is not a canonical encoding of the types. */
  bitsAs(types: readonly AbiType[]): number | undefined {
    this.#bits = 0
    return this.#sequence(types, 0) === this.#hex.length ? this.#bits : undefined
  }

  /** Position after the encoding, or `NONE`. */
  #sequence(types: readonly AbiType[], start: number): number {
    let head = start
    let end = start
    for (const type of types) end += headWords(type) * WORD
    if (end > this.#hex.length) return NONE
    for (const type of types) {
      const isTold = isDynamic(type)
      if (isTold && this.#count(head) * 2 !== end - start) return NONE
      const behind = this.#value(type, isTold ? end : head)
      if (behind === NONE) return NONE
      if (isTold) end = behind
      head += headWords(type) * WORD
    }
    return end
  }

  /**
   * The data determines the length, so no work is done for an element before it is charged to the word budget.
   * @returns position after the encoding, or `NONE`
   */
  #elements(of: AbiType, length: number, start: number): number {
    const isTold = isDynamic(of)
    const step = headWords(of) * WORD
    let end = start + length * step
    if (end > this.#hex.length) return NONE
    for (let place = 0; place < length; place++) {
      const head = start + place * step
      if (isTold && this.#count(head) * 2 !== end - start) return NONE
      const behind = this.#value(of, isTold ? end : head)
      if (behind === NONE) return NONE
      if (isTold) end = behind
    }
    return end
  }

  /** Position after the value, or `NONE`. */
  #value(type: AbiType, at: number): number {
    switch (type.kind) {
      case 'tuple':
        return this.#sequence(type.members, at)
      case 'array': {
        const length = type.length ?? this.#count(at)
        if (length > this.#hex.length / WORD) return NONE
        if (type.length === null) this.#bits += lengthBits(length)
        return this.#elements(type.of, length, type.length === null ? at + WORD : at)
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
    if (--this.#wordsLeft < 0) return NONE
    let told = this.#told.get(type)
    if (!told) this.#told.set(type, (told = []))
    const bits = (told[at / WORD] ??= this.#bitsOfWord(type, at))
    this.#bits += bits
    return bits === Infinity ? NONE : at + WORD
  }

  #bitsOfWord(type: WordType, at: number): number {
    const word = this.#hex.slice(at, at + WORD)
    return word.length === WORD && wordFits(type, word) ? wordBits(type, word) : Infinity
  }

  #bytes(kind: 'string' | 'bytes', at: number): number {
    const length = this.#count(at)
    const start = at + WORD
    const end = start + Math.ceil((length * 2) / WORD) * WORD
    if (end > this.#hex.length) return NONE
    this.#wordsLeft -= (end - start) / WORD
    if (this.#wordsLeft < 0) return NONE
    const digits = this.#hex.slice(start, start + length * 2)
    if (/[^0]/.test(this.#hex.slice(start + length * 2, end))) return NONE
    this.#bits += lengthBits(length) + (kind === 'string' ? textBits(digits) : bytesBits(digits))
    return end
  }

  /** A length or an offset; Infinity if the data does not contain a whole word at the position. */
  #count(at: number): number {
    this.#wordsLeft--
    const word = this.#hex.slice(at, at + WORD)
    return word.length < WORD ? Infinity : Number.parseInt(word, 16)
  }
}
