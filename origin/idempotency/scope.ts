/**
 * What an Idempotency-Key names: one request of one key (`decisions.md`, idempotency). The database holds keyed
 * hashes of it alone, so that its rows say nothing of accounts, keys or bodies.
 */
import { createHmac } from 'node:crypto'

export type Scope = {
  accountHash: string
  keyHash: string
  method: string
  path: string
  idempotencyKey: string
}

/** The row's id: hex. JSON keeps the parts apart, so that no two scopes run together. */
export function scopeId(key: Uint8Array, scope: Scope): string {
  const { accountHash, keyHash, method, path, idempotencyKey } = scope
  const parts = JSON.stringify(['scope', accountHash, keyHash, method, path, idempotencyKey])
  return createHmac('sha256', key).update(parts).digest('hex')
}

/** The hash of a body under its row: equal bodies of two rows do not show. */
export function bodyHashOf(key: Uint8Array, id: string, body: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['body', id]))
    .update(body)
    .digest()
}
