import { createHmac } from 'node:crypto'

/** How the database names a caller of something: what it is, and an HMAC of the caller under the key. */
export function callerId(hashKey: Uint8Array, name: string, caller: string): string {
  const hash = createHmac('sha256', hashKey)
    .update(JSON.stringify([name, caller]))
    .digest('hex')
  return `${name} ${hash}`
}
