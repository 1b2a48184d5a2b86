/**
 * Scores how unusual a value is for its type, as the negative log2 of its probability under a rough model. Only
 * differences between interpretations of the same log matter, so only the proportions must be right. The model treats
 * addresses and hashes as random. Amounts can have any magnitude, and are often round.
 */
import { WORD_DIGITS, type WordType } from './abi-word.ts'

export const HASH_BITS = 256

const ADDRESS_BITS = 160
/** Score of the zero address, in bits. Low, because the zero address is frequent: it represents minting and burning. */
const ZERO_ADDRESS_BITS = 5
const ALL_ONES_BITS = 11

/** @param word 64 hex digits that fit the type */
export function wordBits(type: WordType, word: string): number {
  switch (type.kind) {
    case 'address':
      return addressBits(word)
    case 'bool':
      return 1
    case 'uint':
      return integerBits(word, type.bits)
    case 'int':
      return 1 + integerBits(word[0]! >= '8' ? negated(word) : word, type.bits)
    case 'fixed_bytes':
      return fixedBytesBits(word.slice(0, type.bytes * 2))
  }
}

/** Each leading zero bit doubles the cost of generating an address, so a small number is unlikely to be one. */
function addressBits(word: string): number {
  const digits = significant(word)
  if (digits === 0) return ZERO_ADDRESS_BITS
  const zeroBytes = (40 - digits) >> 1
  if (zeroBytes === 0) return ADDRESS_BITS
  const searched = 8 + 2 * zeroBytes + 6 * Math.max(0, zeroBytes - 8)
  return Math.min(ADDRESS_BITS, searched + 8 * (20 - zeroBytes))
}

/** All magnitudes up to typical token amounts are equally likely, and larger ones are rare. */
function integerBits(word: string, bits: number): number {
  const length = bitLength(word)
  if (length === bits && /^0*[37]?f+$/.test(word)) return ALL_ONES_BITS
  const magnitudes = Math.min(bits, AMOUNT_BITS) + 1
  const magnitude =
    length <= AMOUNT_BITS
      ? Math.log2(magnitudes)
      : LARGE_AMOUNT_BITS + Math.log2(bits - AMOUNT_BITS)
  return magnitude + Math.max(0, length - 1 - roundBits(word, length))
}

/**
 * Length of the largest typical token amount, in bits. 2^96 is more than 10^28, or ten billion tokens with 18 decimals.
 */
const AMOUNT_BITS = 96
/** Score of a larger amount, which corresponds to one amount in sixteen. */
const LARGE_AMOUNT_BITS = 4

/** Returns the score reduction for trailing decimal zeros. Many amounts are round. */
function roundBits(word: string, length: number): number {
  if (length <= 10) return 0
  let zeros = 0
  for (let rest = BigInt(`0x${word}`); rest % 10n === 0n; rest /= 10n) zeros++
  return Math.max(0, zeros * Math.log2(10) - 4)
}

/**
 * Scores a fixed-size byte string by its most likely meaning: a hash, left-aligned text or bytes, or a right-aligned
 * number.
 */
function fixedBytesBits(digits: string): number {
  const bytes = digits.length / 2
  if (/^0*$/.test(digits)) return 5
  const left = digits.replace(/(00)+$/, '')
  const isText = /^(?:[2-7][\da-f])+$/.test(left)
  const asText = isText && left.length < digits.length ? 8 + left.length * 3.25 : Infinity
  const asLeft = 12 + left.length * 4
  const asRight = 12 + significant(digits) * 4
  return Math.min(1 + bytes * 8, asText, asLeft, asRight)
}

/** The probability falls with the square of the length, so each doubling of the range is half as likely. */
export function lengthBits(length: number): number {
  return 3 + 2 * Math.log2(length + 1)
}

/** Most text is printable ASCII, so other bytes cost more bits. */
export function textBits(digits: string): number {
  let bits = 0
  for (let at = 0; at < digits.length; at += 2) {
    const high = digits[at]!
    bits += high >= '2' && high <= '7' ? 6 : 10
  }
  return bits
}

/** Zero bytes cost fewer bits, because nested encodings contain many zeros. */
export function bytesBits(digits: string): number {
  let bits = 0
  for (let at = 0; at < digits.length; at += 2)
    bits += digits[at] === '0' && digits[at + 1] === '0' ? 4 : 8.3
  return bits
}

function significant(word: string): number {
  const first = word.search(/[^0]/)
  return first < 0 ? 0 : word.length - first
}

function bitLength(word: string): number {
  const digits = significant(word)
  if (digits === 0) return 0
  return digits * 4 - Math.clz32(Number.parseInt(word[word.length - digits]!, 16)) + 28
}

/** Returns -1 - n for a negative number n, which has the same magnitude but is not negative. */
function negated(word: string): string {
  return (-1n - BigInt.asIntN(256, BigInt(`0x${word}`))).toString(16).padStart(WORD_DIGITS, '0')
}
