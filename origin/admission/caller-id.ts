import { createHmac } from 'node:crypto'

/** Returns the database ID of a caller: the name of the operation, and an HMAC of name and caller. */
export function callerId(hashKey: Uint8Array, name: string, caller: string): string {
  const hash = createHmac('sha256', hashKey)
    .update(JSON.stringify([name, caller]))
    .digest('hex')
  return `${name} ${hash}`
}
