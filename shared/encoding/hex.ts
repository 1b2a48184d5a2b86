const DIGITS = /^(?:[0-9a-f]{2})*$/i

/** Encodes bytes as lower-case hex without `0x`. */
export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

/** Decodes hex in upper or lower case, with or without `0x`. Returns `undefined` for any other text. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (!DIGITS.test(digits)) return undefined
  const bytes = new Uint8Array(digits.length / 2)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = parseInt(digits.slice(2 * at, 2 * at + 2), 16)
  return bytes
}
