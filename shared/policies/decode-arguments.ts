/**
 * Decodes calldata, and accepts only the canonical encoding of its values: the one that `abi.encode` of Solidity and
 * every library writes. The EVM's own decoders accept many others, in which a checker and a contract could read
 * different values.
 */
import { decodeHexText } from '../encoding/hex.ts'
import { type AbiTuple, type AbiType, type AbiValue, headWords, isDynamic } from './abi-type.ts'
import { DeniedError } from './denial.ts'

const WORD_DIGITS = 64
const ZEROS = '0'.repeat(WORD_DIGITS)
const ONES = 'f'.repeat(WORD_DIGITS)

/** Digits of a length or offset that can be non-zero. Calldata is much shorter than 2^32 bytes. */
const COUNT_DIGITS = 8

/**
 * Reads each byte once and in order, so that the work is proportional to the length of the data: an offset is accepted
 * only if it points to the end of what was read before.
 * @param hex lower-case hex digits, without 0x and without the selector
 * @throws {DeniedError} if the data is not a canonical encoding of the arguments
 */
export function decodeArguments(type: AbiTuple, hex: string): readonly AbiValue[] {
  const reader = new CanonicalReader(hex)
  const values = reader.sequence(type.members.map((member) => member.type))
  reader.end()
  return values
}

class CanonicalReader {
  readonly #hex: string
  #at = 0

  constructor(hex: string) {
    this.#hex = hex
  }

  end(): void {
    const extra = this.#hex.length - this.#at
    if (extra > 0)
      throw new DeniedError('trailing_data', `the calldata has ${extra / 2} extra bytes at its end`)
  }

  /** Reads a sequence of heads, and then their tails in the same order. */
  sequence(types: readonly AbiType[]): AbiValue[] {
    const start = this.#at
    const values: AbiValue[] = []
    const tails: { index: number; type: AbiType; offset: number }[] = []
    for (const [index, type] of types.entries())
      if (isDynamic(type)) {
        tails.push({ index, type, offset: this.#count('an offset', 'bad_offset') })
        values.push(false)
      } else values.push(this.#static(type))
    for (const { index, type, offset } of tails) {
      const expected = (this.#at - start) / 2
      if (offset !== expected)
        throw new DeniedError(
          'bad_offset',
          `an offset in the calldata is ${offset} instead of ${expected}`,
        )
      values[index] = this.#dynamic(type)
    }
    return values
  }

  #static(type: AbiType): AbiValue {
    if (type.kind === 'tuple') return this.sequence(type.members.map((member) => member.type))
    if (type.kind === 'array') return this.#elements(type.of, type.length!)
    return valueOfWord(type, this.#word())
  }

  #dynamic(type: AbiType): AbiValue {
    if (type.kind === 'tuple') return this.sequence(type.members.map((member) => member.type))
    if (type.kind !== 'array') return this.#bytes(type.kind)
    return this.#elements(type.of, type.length ?? this.#count('a length', 'data_truncated'))
  }

  #elements(of: AbiType, length: number): AbiValue[] {
    // Checked before the list is allocated.
    if (length * headWords(of) * WORD_DIGITS > this.#hex.length - this.#at) throw truncated()
    return this.sequence(Array.from({ length }, () => of))
  }

  #bytes(kind: string): string {
    const digits = this.#count('a length', 'data_truncated') * 2
    const padded = Math.ceil(digits / WORD_DIGITS) * WORD_DIGITS
    const all = this.#take(padded)
    for (let at = digits; at < padded; at++)
      if (all.charCodeAt(at) !== ZERO_DIGIT)
        throw new DeniedError('dirty_padding', 'the calldata has bytes in the padding of a value')
    const hex = `0x${all.slice(0, digits)}`
    return kind === 'string' ? textOf(hex) : hex
  }

  #count(what: string, code: 'bad_offset' | 'data_truncated'): number {
    const word = this.#word()
    if (!word.startsWith(ZEROS.slice(COUNT_DIGITS)))
      throw new DeniedError(code, `${what} in the calldata is beyond its end`)
    return Number.parseInt(word.slice(-COUNT_DIGITS), 16)
  }

  #word(): string {
    return this.#take(WORD_DIGITS)
  }

  #take(digits: number): string {
    const end = this.#at + digits
    if (end > this.#hex.length) throw truncated()
    const taken = this.#hex.slice(this.#at, end)
    this.#at = end
    return taken
  }
}

const ZERO_DIGIT = 48

const truncated = () =>
  new DeniedError('data_truncated', 'the calldata ends before its last argument')

function valueOfWord(type: AbiType, word: string): AbiValue {
  switch (type.kind) {
    case 'address':
      if (!word.startsWith(ZEROS.slice(40)))
        throw new DeniedError(
          'dirty_padding',
          'the calldata has bytes in the padding of an address',
        )
      return `0x${word.slice(24)}`
    case 'bool':
      if (!word.startsWith(ZEROS.slice(1)) || (word[63] !== '0' && word[63] !== '1'))
        throw new DeniedError('invalid_bool', 'a bool in the calldata is neither 0 nor 1')
      return word[63] === '1'
    case 'uint': {
      if (!word.startsWith(ZEROS.slice(type.bits / 4))) throw outOfRange(`uint${type.bits}`)
      return BigInt(`0x${word}`)
    }
    case 'int': {
      const unused = WORD_DIGITS - type.bits / 4
      const isNegative = word[unused]! >= '8'
      if (!word.startsWith((isNegative ? ONES : ZEROS).slice(0, unused)))
        throw outOfRange(`int${type.bits}`)
      return BigInt.asIntN(256, BigInt(`0x${word}`))
    }
    case 'fixed_bytes':
      if (!word.endsWith(ZEROS.slice(type.bytes * 2)))
        throw new DeniedError(
          'dirty_padding',
          `the calldata has bytes in the padding of a bytes${type.bytes}`,
        )
      return `0x${word.slice(0, type.bytes * 2)}`
    case 'string':
    case 'bytes':
    case 'array':
    case 'tuple':
      throw new TypeError(`a value of type ${type.kind} is not a word`)
  }
}

const outOfRange = (type: string) =>
  new DeniedError('number_out_of_range', `a number in the calldata does not fit ${type}`)

function textOf(hex: string): string {
  const text = decodeHexText(hex)
  if (text !== undefined) return text
  throw new DeniedError('invalid_text', 'a string in the calldata is not valid UTF-8')
}
