/** Uses `Buffer`, because `btoa` would block the object for 100 ms on 2 MiB of input. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
