import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { WORD, type WordType, wordFits } from './abi-word.ts'
import { bytesBits, lengthBits, textBits, wordBits } from './value-bits.ts'

/** Types read from data that is not an encoding of them. */
const NONE = -1

/**
 * Reads data as compilers write it, every word once and in order, without making values: whether it can be an encoding
 * of some types, and how unusual it would be.
 */
export class CanonicalLog {
  readonly #hex: string
  #bits = 0
  #wordsLeft: number
  /** Bits of a word as a value of a type, by its place: most readings put the same types at the same places. */
  readonly #told = new Map<WordType, number[]>()

  /**
   * @param hex lower-case digits of whole words
   * @param words how many may be read in all: an event has thousands of ways to be read
   */
  constructor(hex: string, words: number) {
    this.#hex = hex
    this.#wordsLeft = words
  }

  /** Nothing more can be said. */
  get isSpent(): boolean {
    return this.#wordsLeft < 0
  }

  /** Bits to tell the data in, as values of these types; `undefined` where it is not an encoding of them. */
  bitsAs(types: readonly AbiType[]): number | undefined {
    this.#bits = 0
    return this.#sequence(types, 0) === this.#hex.length ? this.#bits : undefined
  }

  /** @returns where the encoding ends */
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
   * Equal types one behind the other. Their number is the data's: nothing is done for each of them before it is read,
   * and so counted.
   * @returns where the encoding ends
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

  /** @returns where the value ends */
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

  /** A length or an offset; beyond all data where there is none. */
  #count(at: number): number {
    this.#wordsLeft--
    const word = this.#hex.slice(at, at + WORD)
    return word.length < WORD ? Infinity : Number.parseInt(word, 16)
  }
}
