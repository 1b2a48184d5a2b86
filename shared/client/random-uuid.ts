import { encodeHex } from '../encoding/hex.ts'

/** Version 4 UUID (RFC 9562, section 5.4). */
export function randomUuid(random: (bytes: number) => Uint8Array): string {
  const bytes = random(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
