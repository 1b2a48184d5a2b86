/**
 * Returns the length of a UTF-8 byte order mark, or 0. A byte order mark is not valid JSON, but some clients send one.
 */
export function byteOrderMarkLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/** Returns the value of a hex digit. The result for any other character is unspecified. */
export function hexDigit(byte: number): number {
  // ASCII codes: digits are 0x30 to 0x39, and hex letters are 0x41 to 0x46 or 0x61 to 0x66.
  return byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9
}

/** Returns true for JSON whitespace (RFC 8259, section 2). */
export function isJsonSpace(byte: number | undefined): boolean {
  if (byte === undefined || byte > 0x20) return false
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
