/**
 * Converts header values to and from byte strings, one character per byte, the form that HTTP and the sealed envelope
 * use.
 */

/** @param value as returned by the runtime: text decoded from UTF-8 */
export function toByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  return String.fromCharCode(...new TextEncoder().encode(value))
}

/** Returns the value that makes the runtime send these bytes. Bytes that are not valid UTF-8 are returned unchanged. */
export function fromByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}
