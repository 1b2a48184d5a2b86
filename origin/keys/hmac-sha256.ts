import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const HASH_BYTES = 32

/**
 * HMAC-SHA256 (RFC 2104) of the concatenated parts. For short messages, two one-shot hashes take a fifth of the time of
 * `createHmac`.
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const blockKey = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  const inner = new Uint8Array(parts.reduce((sum, { length }) => sum + length, BLOCK_BYTES))
  const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES)
  for (let at = 0; at < BLOCK_BYTES; at++) {
    const byte = blockKey[at] ?? 0
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  let end = BLOCK_BYTES
  for (const part of parts) {
    inner.set(part, end)
    end += part.length
  }
  outer.set(hash('sha256', inner, 'buffer'), BLOCK_BYTES)
  return hash('sha256', outer, 'buffer')
}
