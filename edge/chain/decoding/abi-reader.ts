import { decodeHex } from '../../../shared/hex.ts'
import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { WORD, wordValue } from './abi-word.ts'
import type { DecodedValue } from './decoded-log.ts'
import { Unfit } from './unfit.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads values of the contract ABI. Values have to be clean; how they are laid out is the encoder's, as long as all of
 * them together take no more than there is: offsets may point to the same place, and then a few hundred bytes can
 * stand for gigabytes.
 */
export class AbiReader {
  readonly #hex: string
  #wordsLeft: number
  #reached = 0

  /** @param hex lower-case digits, two a byte */
  constructor(hex: string) {
    this.#hex = hex
    this.#wordsLeft = Math.ceil(hex.length / WORD)
  }

  /** Whether there is data behind all that was read. */
  get hasMore(): boolean {
    return this.#reached < this.#hex.length
  }

  /**
   * Values that stand one behind the other, from `start` on, and what they point to, counted from there.
   * @param label names the value of an index in a failure
   * @throws {Unfit}
   */
  sequence(
    types: readonly AbiType[],
    start = 0,
    label: (index: number) => string = () => '',
  ): DecodedValue[] {
    let at = start
    return types.map((type, index) => {
      try {
        const value = isDynamic(type) ? this.#pointed(type, start, at) : this.#static(type, at)
        at += headWords(type) * WORD
        return value
      } catch (error) {
        const prefix = label(index)
        throw error instanceof Unfit && prefix !== ''
          ? new Unfit(`${prefix}: ${error.message}`)
          : error
      }
    })
  }

  #static(type: AbiType, at: number): DecodedValue {
    switch (type.kind) {
      case 'tuple':
        return this.sequence(type.members, at)
      case 'array':
        return this.#elements(type.of, type.length!, at)
      case 'string':
      case 'bytes':
        return this.#bytes(type.kind, at)
      case 'address':
      case 'bool':
      case 'uint':
      case 'int':
      case 'fixed_bytes':
        return wordValue(type, this.#word(at))
    }
  }

  #pointed(type: AbiType, base: number, at: number): DecodedValue {
    const place = base + this.#count(at) * 2
    if (type.kind !== 'array' || type.length !== null) return this.#static(type, place)
    return this.#elements(type.of, this.#count(place), place + WORD)
  }

  #elements(of: AbiType, length: number, at: number): DecodedValue[] {
    // Before there is an array of that length: each element takes a word at the least.
    if (length > this.#wordsLeft) throw new Unfit('an array is longer than the data')
    return this.sequence(
      Array.from({ length }, () => of),
      at,
    )
  }

  #bytes(kind: 'string' | 'bytes', at: number): string {
    const start = at + WORD
    const length = this.#count(at) * 2
    const end = start + length
    if (end > this.#hex.length) throw new Unfit(`a ${kind} is longer than the data`)
    const padded = Math.ceil(length / WORD)
    this.#take(padded)
    this.#reached = Math.max(this.#reached, start + padded * WORD)
    const digits = this.#hex.slice(start, end)
    return kind === 'bytes' ? `0x${digits}` : textOf(digits)
  }

  /** A length or an offset, in units of its own. */
  #count(at: number): number {
    const word = this.#word(at)
    const count = Number.parseInt(word, 16)
    // Beyond all data, and where numbers lose digits.
    if (count > this.#hex.length) throw new Unfit('a length or an offset is beyond the data')
    return count
  }

  #word(at: number): string {
    const end = at + WORD
    if (end > this.#hex.length) throw new Unfit('the data ends before it')
    this.#take(1)
    if (end > this.#reached) this.#reached = end
    return this.#hex.slice(at, end)
  }

  #take(words: number): void {
    this.#wordsLeft -= words
    if (this.#wordsLeft < 0) throw new Unfit('its values overlap')
  }
}

/** What is not UTF-8 stays hex: a replacement character would hide bytes. */
function textOf(digits: string): string {
  try {
    return utf8.decode(decodeHex(digits))
  } catch {
    return `0x${digits}`
  }
}
