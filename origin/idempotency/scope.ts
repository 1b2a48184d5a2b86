/**
 * The scope of an Idempotency-Key: one request of one key. The database stores only keyed hashes of it, so that its
 * rows reveal nothing about accounts, keys or bodies.
 */
import { createHmac } from 'node:crypto'

export type Scope = {
  accountHash: string
  keyHash: string
  method: string
  path: string
  idempotencyKey: string
}

/** Returns the row's ID as hex. JSON encoding separates the fields, so that different scopes never collide. */
export function scopeId(key: Uint8Array, scope: Scope): string {
  const { accountHash, keyHash, method, path, idempotencyKey } = scope
  const parts = JSON.stringify(['scope', accountHash, keyHash, method, path, idempotencyKey])
  return createHmac('sha256', key).update(parts).digest('hex')
}

/** Hashes a body together with its row ID, so that equal bodies in two rows cannot be recognized. */
export function bodyHashOf(key: Uint8Array, id: string, body: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['body', id]))
    .update(body)
    .digest()
}
