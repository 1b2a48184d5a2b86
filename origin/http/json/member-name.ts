import { hexDigit } from '../../json-bytes.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const U = 0x75

/**
 * Compares the JSON string at `from` with a name. The string must be valid and may contain escapes. Allocates no
 * memory, because a body can contain millions of names.
 * @param name printable ASCII without quotes, slashes or backslashes, so that `\u` is the only possible escape
 */
export function isMemberName(bytes: Uint8Array, from: number, name: string): boolean {
  let at = from + 1
  for (let n = 0; n < name.length; n++) {
    const byte = bytes[at]!
    if (byte !== BACKSLASH) {
      if (byte !== name.charCodeAt(n)) return false
      at++
      continue
    }
    if (bytes[at + 1] !== U) return false
    if (hexAt(bytes, at + 2) !== name.charCodeAt(n)) return false
    at += 6
  }
  return bytes[at] === QUOTE
}

function hexAt(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let at = from; at < from + 4; at++) value = value * 16 + hexDigit(bytes[at]!)
  return value
}
