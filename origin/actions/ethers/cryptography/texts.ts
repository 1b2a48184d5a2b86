import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * Hex and UTF-8 for the guest, where a loop over the characters costs a hundred times as much. What is not plainly
 * right is answered with nothing, and ethers' own code takes it, with its own errors.
 */

/** Characters. Past it the guest's own loops do it, that its interrupt reaches. */
export const CONVERTED_MAX_LENGTH = 1024 * 1024

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/** @param length what the guest's string has: text crosses up to its first NUL only */
export function bytesOfHex(text: string, length: number): Uint8Array | undefined {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH || !HEX.test(text)) return undefined
  return Buffer.from(text.slice(2), 'hex')
}

/** UTF-8 of text that has neither NUL nor a character past ASCII; of other text nothing. */
export function asciiBytes(text: string, length: number): Uint8Array {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH) return NOTHING
  const bytes = Buffer.from(text, 'utf8')
  return bytes.length === length ? bytes : NOTHING
}

export const NOTHING = new Uint8Array(0)

/** An address in the capitals of EIP-55. What is none comes back as something that is none either. */
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
