/**
 * How unusual a value is for its type: the negated logarithm of its probability under a rough model of what contracts
 * emit. Only differences between readings of the same log count, so that a model has to be right in its proportions:
 * addresses are random, amounts are of any magnitude and often round, hashes are random in all of their bits.
 */
import { WORD, type WordType } from './abi-word.ts'

/** Any random topic: the hash of a value. */
export const HASH_BITS = 256

const ADDRESS_BITS = 160
/** The zero address stands for minting and burning. */
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

/** Addresses with leading zeros are searched for, at a cost that doubles with each bit; small numbers are none. */
function addressBits(word: string): number {
  const digits = significant(word)
  if (digits === 0) return ZERO_ADDRESS_BITS
  const zeroBytes = (40 - digits) >> 1
  if (zeroBytes === 0) return ADDRESS_BITS
  const searched = 8 + 2 * zeroBytes + 6 * Math.max(0, zeroBytes - 8)
  return Math.min(ADDRESS_BITS, searched + 8 * (20 - zeroBytes))
}

/** Every magnitude is as likely as another, up to what amounts have; those above it are rare. */
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

/** 10^28: a ten billion tokens of 18 decimals. */
const AMOUNT_BITS = 96
/** One in sixteen is larger. */
const LARGE_AMOUNT_BITS = 4

/** What trailing decimal zeros save: many amounts are round. */
function roundBits(word: string, length: number): number {
  if (length <= 10) return 0
  let zeros = 0
  for (let rest = BigInt(`0x${word}`); rest % 10n === 0n; rest /= 10n) zeros++
  return Math.max(0, zeros * Math.log2(10) - 4)
}

/** Hashes, short texts at the left, and numbers at the right. */
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

/** Each doubling of a length is half as likely. */
export function lengthBits(length: number): number {
  return 3 + 2 * Math.log2(length + 1)
}

/** Text is mostly printable, and its bytes are those of UTF-8. */
export function textBits(digits: string): number {
  let bits = 0
  for (let at = 0; at < digits.length; at += 2) {
    const high = digits[at]!
    bits += high >= '2' && high <= '7' ? 6 : 10
  }
  return bits
}

/** Any bytes; encodings within them have many zeros. */
export function bytesBits(digits: string): number {
  let bits = 0
  for (let at = 0; at < digits.length; at += 2)
    bits += digits[at] === '0' && digits[at + 1] === '0' ? 4 : 8.3
  return bits
}

/** Hex digits without the leading zeros. */
function significant(word: string): number {
  const first = word.search(/[^0]/)
  return first < 0 ? 0 : word.length - first
}

function bitLength(word: string): number {
  const digits = significant(word)
  if (digits === 0) return 0
  return digits * 4 - Math.clz32(Number.parseInt(word[word.length - digits]!, 16)) + 28
}

/** -1 - n of a negative n, with the same magnitude. */
function negated(word: string): string {
  return (-1n - BigInt.asIntN(256, BigInt(`0x${word}`))).toString(16).padStart(WORD, '0')
}
