/** Body of a run that has several webhook events: for each event, its firing and its body with their lengths. */
/** `firing` is the parsed `WebhookFiring`. */
export type BatchedEvent = { firing: unknown; body: Uint8Array }

/** Two lengths of four bytes, big-endian. */
const HEADER_BYTES = 8

/** @param firing `WebhookFiring` as JSON text */
export function encodeBatchedEvent(firing: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(firing)
  const bytes = new Uint8Array(HEADER_BYTES + text.length + body.length)
  const header = new DataView(bytes.buffer)
  header.setUint32(0, text.length)
  header.setUint32(4, body.length)
  bytes.set(text, HEADER_BYTES)
  bytes.set(body, HEADER_BYTES + text.length)
  return bytes
}

/** @param bytes the concatenated events, in order of arrival */
export function decodeBatchedEvents(bytes: Uint8Array): BatchedEvent[] {
  const events: BatchedEvent[] = []
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length;) {
    const bodyAt = at + HEADER_BYTES + header.getUint32(at)
    const end = bodyAt + header.getUint32(at + 4)
    const text = new TextDecoder().decode(bytes.subarray(at + HEADER_BYTES, bodyAt))
    events.push({ firing: JSON.parse(text), body: bytes.subarray(bodyAt, end) })
    at = end
  }
  return events
}
