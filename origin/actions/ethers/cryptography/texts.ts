import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * Hex and UTF-8 conversion for the guest, where a loop over the characters costs a hundred times as much. Inputs that
 * are not plainly valid give an empty result. ethers' own code then handles them, with its own errors.
 */

/** Limit in characters. Longer texts are converted by the guest's own loops, which its interrupt can stop. */
export const CONVERTED_MAX_LENGTH = 1024 * 1024

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/** @param length length of the guest's string, which may be longer: text crosses only up to its first NUL */
export function bytesOfHex(text: string, length: number): Uint8Array | undefined {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH || !HEX.test(text)) return undefined
  return Buffer.from(text.slice(2), 'hex')
}

/** Encodes text as UTF-8. Returns an empty array if the text contains NUL or a character outside ASCII. */
export function asciiBytes(text: string, length: number): Uint8Array {
  if (text.length !== length || length > CONVERTED_MAX_LENGTH) return NOTHING
  const bytes = Buffer.from(text, 'utf8')
  return bytes.length === length ? bytes : NOTHING
}

export const NOTHING = new Uint8Array(0)

/** Returns the address with the EIP-55 checksum capitals. The result for an invalid address is also invalid. */
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
