import type { AbiType } from '../signature/event-signature.ts'
import { checksummedAddress } from './checksummed-address.ts'

/** The log is not an encoding of the assumed types. The error message becomes the log's `decode_error`. */
export class LogDecodeError extends Error {
  override name = 'LogDecodeError'
}

export const WORD_DIGITS = 64

export type WordType = Extract<
  AbiType,
  { kind: 'address' | 'bool' | 'uint' | 'int' | 'fixed_bytes' }
>

const ZEROS = '0'.repeat(WORD_DIGITS)
const ONES = 'f'.repeat(WORD_DIGITS)
/** Maximum number of hex digits that always fit into a safe integer. */
const EXACT_DIGITS = 13

/**
 * Returns true if a compiler would emit the word for the type. Other words probably encode a value of another type.
 * @param word 64 lower-case hex digits
 */
export function wordFits(type: WordType, word: string): boolean {
  switch (type.kind) {
    case 'address':
      return word.startsWith(ZEROS.slice(0, 24))
    case 'bool':
      return word.startsWith(ZEROS.slice(1)) && (word[63] === '0' || word[63] === '1')
    case 'uint':
      return word.startsWith(ZEROS.slice(0, WORD_DIGITS - type.bits / 4))
    case 'int': {
      const signed = WORD_DIGITS - type.bits / 4
      return word.startsWith((isNegative(word, signed) ? ONES : ZEROS).slice(0, signed))
    }
    case 'fixed_bytes':
      return word.endsWith(ZEROS.slice(type.bytes * 2))
  }
}

/** @throws {LogDecodeError} if the word is not valid for the type */
export function wordValue(type: WordType, word: string): string | boolean {
  if (!wordFits(type, word))
    throw new LogDecodeError(`0x${word} is no ${type.kind.replace('_', ' ')}`)
  switch (type.kind) {
    case 'address':
      return checksummedAddress(`0x${word.slice(24)}`)
    case 'bool':
      return word[63] === '1'
    case 'uint':
      return decimal(word)
    case 'int':
      return isNegative(word, 0) ? String(BigInt.asIntN(256, BigInt(`0x${word}`))) : decimal(word)
    case 'fixed_bytes':
      return `0x${word.slice(0, type.bytes * 2)}`
  }
}

function decimal(word: string): string {
  return word.startsWith(ZEROS.slice(EXACT_DIGITS))
    ? String(Number.parseInt(word.slice(WORD_DIGITS - EXACT_DIGITS), 16))
    : String(BigInt(`0x${word}`))
}

function isNegative(word: string, at: number): boolean {
  return word[at]! >= '8'
}
