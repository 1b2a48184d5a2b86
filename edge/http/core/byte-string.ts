/**
 * Conversion of header values. HTTP and the sealed envelope use byte strings, in which each character represents one
 * byte.
 */

/** @param value header value from the runtime, which decodes headers as UTF-8 */
export function toByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  return String.fromCharCode(...new TextEncoder().encode(value))
}

/**
 * Converts a byte string to the header value that the runtime sends as the same bytes. A byte string that is not valid
 * UTF-8 is returned unchanged.
 */
export function fromByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}
