const DIGITS = /^(?:[0-9a-f]{2})*$/i
/** Values of hex digits by character code. */
const VALUES = Uint8Array.from({ length: 103 }, (_, code) =>
  parseInt(String.fromCharCode(code), 16),
)
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

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
    bytes[at] = 16 * VALUES[digits.charCodeAt(2 * at)]! + VALUES[digits.charCodeAt(2 * at + 1)]!
  return bytes
}

/** Decodes hex to UTF-8 text. Returns `undefined` if the hex or the UTF-8 is invalid. */
export function decodeHexText(text: string): string | undefined {
  const bytes = decodeHex(text)
  try {
    return bytes && utf8.decode(bytes)
  } catch {
    return undefined
  }
}
