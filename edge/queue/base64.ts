/** Encodes bytes as base64. Uses `Buffer`, because `btoa` blocks the object for 100 ms at 2 MiB. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
