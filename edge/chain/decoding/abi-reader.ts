import { decodeHex } from '../../../shared/encoding/hex.ts'
import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { LogDecodeError, WORD_DIGITS, wordValue } from './abi-word.ts'
import type { DecodedValue } from './decoded-log.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes ABI-encoded data. The encoder may arrange values freely, but the decoder reads at most as many words as the
 * data contains. Several offsets can point to the same place, so without this limit a few hundred bytes could decode to
 * gigabytes.
 */
export class AbiReader {
  readonly #hex: string
  #wordsLeft: number
  #reached = 0

  /** @param hex lower-case hex digits without 0x, two per byte */
  constructor(hex: string) {
    this.#hex = hex
    this.#wordsLeft = Math.ceil(hex.length / WORD_DIGITS)
  }

  get hasMore(): boolean {
    return this.#reached < this.#hex.length
  }

  /**
   * Decodes a sequence of values, with offsets relative to `start`.
   * @param label returns the prefix of an error message about the value at an index
   * @throws {LogDecodeError} if the data is not an encoding of the types
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
        at += headWords(type) * WORD_DIGITS
        return value
      } catch (error) {
        const prefix = label(index)
        throw error instanceof LogDecodeError && prefix !== ''
          ? new LogDecodeError(`${prefix}: ${error.message}`)
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
    return this.#elements(type.of, this.#count(place), place + WORD_DIGITS)
  }

  #elements(of: AbiType, length: number, at: number): DecodedValue[] {
    // Checks the length before allocating the array. Each element occupies at least one word.
    if (length > this.#wordsLeft) throw new LogDecodeError('an array is longer than the data')
    return this.sequence(
      Array.from({ length }, () => of),
      at,
    )
  }

  #bytes(kind: 'string' | 'bytes', at: number): string {
    const start = at + WORD_DIGITS
    const length = this.#count(at) * 2
    const end = start + length
    if (end > this.#hex.length) throw new LogDecodeError(`a ${kind} is longer than the data`)
    const padded = Math.ceil(length / WORD_DIGITS)
    this.#take(padded)
    this.#reached = Math.max(this.#reached, start + padded * WORD_DIGITS)
    const digits = this.#hex.slice(start, end)
    return kind === 'bytes' ? `0x${digits}` : textOf(digits)
  }

  #count(at: number): number {
    const word = this.#word(at)
    const count = Number.parseInt(word, 16)
    // A larger count would point beyond the data, and might not be a safe integer.
    if (count > this.#hex.length)
      throw new LogDecodeError('a length or an offset is beyond the data')
    return count
  }

  #word(at: number): string {
    const end = at + WORD_DIGITS
    if (end > this.#hex.length) throw new LogDecodeError('the data ends before it')
    this.#take(1)
    if (end > this.#reached) this.#reached = end
    return this.#hex.slice(at, end)
  }

  #take(words: number): void {
    this.#wordsLeft -= words
    if (this.#wordsLeft < 0) throw new LogDecodeError('its values overlap')
  }
}

/** Returns invalid UTF-8 as hex, because replacement characters would hide bytes. */
function textOf(digits: string): string {
  try {
    return utf8.decode(decodeHex(digits))
  } catch {
    return `0x${digits}`
  }
}
