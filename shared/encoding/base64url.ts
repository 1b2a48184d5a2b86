/**
 * Encodes and decodes strict base64url without padding (RFC 4648, section 5). Each byte string has exactly one
 * encoding.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]))

export function encodeBase64url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += ALPHABET[word >> 18]! + ALPHABET[(word >> 12) & 63]!
    if (left > 1) text += ALPHABET[(word >> 6) & 63]!
    if (left > 2) text += ALPHABET[word & 63]!
  }
  return text
}

/** Decodes base64url. Returns `undefined` unless the text is a canonical encoding. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let word = 0
  let bits = 0
  let at = 0
  for (const character of text) {
    const value = VALUES.get(character)
    if (value === undefined) return undefined
    word = (word << 6) | value
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (word >> bits) & 255
      word &= (1 << bits) - 1
    }
  }
  return word === 0 ? bytes : undefined
}
