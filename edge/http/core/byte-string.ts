/** HTTP and the sealed envelope use byte strings, which have one character per byte. */

/** @param value as returned by the runtime, which decodes it from UTF-8 */
export function toByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  return String.fromCharCode(...new TextEncoder().encode(value))
}

/** Header value with which the runtime sends the same bytes. Unchanged if it is not valid UTF-8. */
export function fromByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}
