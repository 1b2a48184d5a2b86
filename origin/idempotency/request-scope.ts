/**
 * Scope of an Idempotency-Key: one request with one API key. The database stores only keyed hashes of the scope, so
 * that its rows reveal nothing about accounts, API keys or bodies.
 */
import { createHmac } from 'node:crypto'

export type RequestScope = {
  accountHash: string
  keyHash: string
  method: string
  path: string
  idempotencyKey: string
}

/** The fields are encoded as JSON, so that different scopes never collide. */
export function scopeId(key: Uint8Array, scope: RequestScope): string {
  const { accountHash, keyHash, method, path, idempotencyKey } = scope
  const parts = JSON.stringify(['scope', accountHash, keyHash, method, path, idempotencyKey])
  return createHmac('sha256', key).update(parts).digest('hex')
}

/** The hash includes the row's ID, so that equal bodies in different rows have different hashes. */
export function hashBody(key: Uint8Array, id: string, body: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['body', id]))
    .update(body)
    .digest()
}
