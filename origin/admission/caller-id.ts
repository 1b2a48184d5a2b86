import { createHmac } from 'node:crypto'

/** The name, followed by an HMAC of the name and the caller. */
export function hashedCallerId(hashKey: Uint8Array, name: string, caller: string): string {
  const hash = createHmac('sha256', hashKey)
    .update(JSON.stringify([name, caller]))
    .digest('hex')
  return `${name} ${hash}`
}
