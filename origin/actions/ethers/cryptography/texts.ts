import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * Hex and UTF-8 conversions for the guest, where a loop over the characters would take a hundred times as long. For an
 * input that is not clearly valid, the result is empty. ethers' own code then handles the input, and throws its own
 * errors.
 */

/**
 * Maximum length in characters of a text that the host converts. Longer texts are converted by loops in the guest,
 * which the interrupt handler can stop.
 */
export const CONVERTED_MAX_LENGTH = 1024 * 1024

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Decodes 0x hex. Returns undefined if the text is not valid 0x hex.
 * @param length length of the string in the guest, which is longer than `text` if the string contains NUL, because the
 * engine truncates the string there
 */
export function bytesOfHex(text: string, length: number): Uint8Array | undefined {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH || !HEX.test(text)) return undefined
  return Buffer.from(text.slice(2), 'hex')
}

/** Returns an empty array if the text contains NUL or a non-ASCII character. */
export function asciiBytes(text: string, length: number): Uint8Array {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH) return NO_BYTES
  const bytes = Buffer.from(text, 'utf8')
  return bytes.length === length ? bytes : NO_BYTES
}

export const NO_BYTES = new Uint8Array(0)

/** Capitalizes an address by EIP-55. If the address is invalid, the result is invalid too. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2, 42).toLowerCase()
  const sum = Buffer.from(keccak_256(Buffer.from(digits, 'latin1'))).toString('hex')
  let result = '0x'
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charAt(at)
    result += sum.charAt(at) >= '8' ? digit.toUpperCase() : digit
  }
  return result
}
