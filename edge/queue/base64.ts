/** base64 of bytes. By `Buffer`: through `btoa`, 2 MiB hold an object up for a tenth of a second. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
