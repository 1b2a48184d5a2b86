import { randomBytes } from 'node:crypto'
import { clientAddressHash, type HashedEntry } from '../../shared/audit-log/entry.ts'
import type { Principal } from '../accounts/account.ts'
import { decryptAtRest, encryptAtRest } from '../keys/at-rest.ts'

export type AuditActor = HashedEntry['actor']

/** Part of an entry that is known before the change is made. JSON, so that the outbox of contract writes can store it. */
export type AuditContext = {
  accountHash: string
  operation: string
  actor: AuditActor
  requestId: string | null
  /** `sealed` is the encrypted address and its salt in base64. Null if the address is unknown. */
  clientAddress: { sealed: string; sha256: string } | null
}

export type AuditedRequest = Pick<AuditContext, 'accountHash' | 'operation' | 'actor'> & {
  requestId: string
  /** `''` if unknown. */
  clientAddress: string
}

/** Characters of a key hash that an entry shows, including 0x. */
const HASH_PREFIX = 18

export function keyActor(kind: 'account_key' | 'usage_key', keyHash: string): AuditActor {
  return { kind, id: keyHash.slice(0, HASH_PREFIX) }
}

export function actorOf({ keyHash, usageKey, wallet }: Principal): AuditActor {
  if (wallet !== undefined) return { kind: 'wallet', id: wallet }
  return keyActor(usageKey ? 'usage_key' : 'account_key', keyHash)
}

/** Returns the name of an operation in entries, such as `add_group` or `billing/create_payment_intent`. */
export function operationName(path: string): string {
  return path.replace(/^\/core\/v1\//, '')
}

/** Context of changes that no client requested. */
export function internalContext(
  accountHash: string,
  operation: string,
  kind: 'operator' | 'payment_processor',
): AuditContext {
  return { accountHash, operation, actor: { kind, id: null }, requestId: null, clientAddress: null }
}

/** Encrypts the client's address. The entry contains only a salted hash, so the address can be erased. */
export function sealContext(key: Uint8Array, request: AuditedRequest): AuditContext {
  const { clientAddress: address, ...context } = request
  if (address === '') return { ...context, clientAddress: null }
  const salt = randomBytes(16).toString('hex')
  const sealed = encryptAtRest(key, namesOf(context), JSON.stringify([salt, address]))
  const sha256 = clientAddressHash(salt, address)
  return { ...context, clientAddress: { sealed: sealed.toString('base64'), sha256 } }
}

export function openClientAddress(
  key: Uint8Array,
  entry: Pick<AuditContext, 'accountHash' | 'requestId'>,
  sealed: Uint8Array,
): { salt: string; address: string } {
  const [salt, address] = JSON.parse(decryptAtRest(key, namesOf(entry), sealed))
  return { salt, address }
}

/** All entries of a request share the names. */
function namesOf({ accountHash, requestId }: Pick<AuditContext, 'accountHash' | 'requestId'>) {
  return ['svc/audit-address/v1', accountHash, requestId ?? '']
}
