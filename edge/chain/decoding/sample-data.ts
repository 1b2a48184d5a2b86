import type { AbiType } from '../signature/event-signature.ts'
import { headWords, isDynamic } from '../signature/type-size.ts'
import { WORD_DIGITS, type WordType } from './abi-word.ts'

export const ZERO_WORD = '0'.repeat(WORD_DIGITS)

/** Keccak-256 hash of empty input, which is the topic of an indexed empty string. */
export const EMPTY_HASH = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** Maximum size of sample data. A sample of a type such as `uint256[4000]` would be too large. */
export const SAMPLE_WORDS_MAX = 1_000

/** Addresses and hashes use all of their bytes, and numbers are small. */
export function typicalWord(type: WordType): string {
  switch (type.kind) {
    case 'address':
      return 'a1'.repeat(20).padStart(WORD_DIGITS, '0')
    case 'bool':
      return '1'.padStart(WORD_DIGITS, '0')
    case 'uint':
    case 'int':
      return '3'.padStart(WORD_DIGITS, '0')
    case 'fixed_bytes':
      return 'b2'.repeat(type.bytes).padEnd(WORD_DIGITS, '0')
  }
}

/**
 * Encodes sample values of the given types as hex without 0x. Dynamic values are empty.
 * @param wordOf returns the 64 hex digits of a single-word value
 */
export function sampleData(types: readonly AbiType[], wordOf: (type: WordType) => string): string {
  let head = ''
  let tail = ''
  const headBytes = types.reduce((sum, type) => sum + headWords(type) * 32, 0)
  for (const type of types) {
    const value = sampleValue(type, wordOf)
    if (!isDynamic(type)) head += value
    else {
      head += (headBytes + tail.length / 2).toString(16).padStart(WORD_DIGITS, '0')
      tail += value
    }
  }
  return head + tail
}

function sampleValue(type: AbiType, wordOf: (type: WordType) => string): string {
  switch (type.kind) {
    case 'tuple':
      return sampleData(type.members, wordOf)
    case 'array':
      if (type.length === null) return ZERO_WORD
      return sampleData(
        Array.from({ length: type.length }, () => type.of),
        wordOf,
      )
    case 'string':
    case 'bytes':
      return ZERO_WORD
    case 'address':
    case 'bool':
    case 'uint':
    case 'int':
    case 'fixed_bytes':
      return wordOf(type)
  }
}
