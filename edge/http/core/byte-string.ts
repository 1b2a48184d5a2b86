/** Header values as bytes, one a character: HTTP's own form, in which they are inside the envelope. */

/** @param value as the runtime gives it: text that was decoded from UTF-8 */
export function toByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  return String.fromCharCode(...new TextEncoder().encode(value))
}

/** What the runtime is given to send these bytes; those that are no UTF-8 stay as they are. */
export function fromByteString(value: string): string {
  if (!/[\u0080-\uffff]/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}
