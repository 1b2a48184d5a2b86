/**
 * Entries of an account's audit log (docs/audit-log.md). Each entry contains the hash of the previous one, so an entry
 * cannot be changed, removed or inserted without changing the hash of every later entry.
 */
import { z } from 'zod'
import { sha256 } from '@noble/hashes/sha2.js'
import { canonicalJson } from '../derived-action/canonical-json.ts'
import { decodeHex, encodeHex } from '../encoding/hex.ts'

/** Prefix of the hashed text. No other hash of the service starts with it. */
const ENTRY_DOMAIN = 'svc/audit-entry/v1\n'

export const AUDIT_ACTORS = [
  'account_key',
  'usage_key',
  'wallet',
  'operator',
  'payment_processor',
] as const

export const AUDIT_OUTCOMES = ['done', 'reverted', 'refused'] as const

const wordSchema = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x')
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hex')

/** Members that the hash of an entry covers. */
const hashedSchema = z.object({
  v: z.literal(1),
  account_hash: wordSchema,
  sequence: z.int().min(1).meta({ description: 'Starts at 1 in each account, without gaps.' }),
  at: z.iso.datetime(),
  operation: z.string().meta({
    description:
      'Name of the operation, such as add_group, or of the event of a transaction that an admin wallet sent, such as group_set.',
  }),
  outcome: z.enum(AUDIT_OUTCOMES).meta({
    description:
      'done: the change took effect. reverted: its transaction was mined and reverted. refused: a key without the right attempted it.',
  }),
  actor: z.object({
    kind: z.enum(AUDIT_ACTORS),
    id: z.string().nullable().meta({
      description: 'First 8 bytes of the hash of the key, or the address of the wallet.',
    }),
  }),
  subject: z.record(z.string(), z.union([z.string(), z.int()])).meta({
    description: 'IDs of what was changed, such as group_id or usage_api_key_hash.',
  }),
  request_id: z.string().nullable().meta({ description: 'X-Request-Id of the response.' }),
  client_address_sha256: sha256Schema.nullable().meta({
    description: 'SHA-256 of client_address_salt (16 bytes) and client_address (UTF-8).',
  }),
  details_sha256: sha256Schema.meta({ description: 'SHA-256 of details as canonical JSON.' }),
  previous_sha256: sha256Schema.nullable().meta({
    description: 'sha256 of the previous entry. Null in the first entry.',
  }),
})
export type HashedEntry = z.infer<typeof hashedSchema>

/** Hashed members of an entry of any log. The kinds of actors differ between logs. */
const anyHashedSchema = hashedSchema.extend({
  actor: z.object({ kind: z.string(), id: z.string().nullable() }),
})
export type AnyHashedEntry = z.infer<typeof anyHashedSchema>

export const auditEntrySchema = hashedSchema.extend({
  sha256: sha256Schema,
  client_address: z.string().nullable().meta({
    description: 'Null if it is unknown, was erased, or belongs to a previous owner.',
  }),
  client_address_salt: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable(),
  details: z.record(z.string(), z.unknown()).meta({
    description: 'Description of the change, without secrets.',
  }),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>
/** An entry of any log. */
export type AnyAuditEntry = Omit<AuditEntry, 'actor'> & Pick<AnyHashedEntry, 'actor'>

export const auditLogResponse = z.object({
  entries: z.array(auditEntrySchema),
  head: z.object({
    sequence: z.int().min(0).meta({ description: 'Number of entries. 0 if there are none.' }),
    sha256: sha256Schema.nullable(),
    statement: z.string().meta({
      description: 'JWS of type svc-audit-head+jws by the receipt key, which contains this head.',
    }),
  }),
})
export type AuditLogPage = z.infer<typeof auditLogResponse>

/** Text whose SHA-256 is the hash of the entry. */
export function hashedText(entry: AnyHashedEntry): string {
  return ENTRY_DOMAIN + canonicalJson(anyHashedSchema.parse(entry))
}

export function entryHash(entry: AnyHashedEntry): string {
  return sha256Text(hashedText(entry))
}

export function detailsHash(details: Record<string, unknown>): string {
  return sha256Text(canonicalJson(details))
}

/** @param salt 16 bytes in hex */
export function clientAddressHash(salt: string, address: string): string {
  const bytes = new TextEncoder().encode(address)
  return encodeHex(sha256(Uint8Array.from([...(decodeHex(salt) ?? []), ...bytes])))
}

function sha256Text(text: string): string {
  return encodeHex(sha256(new TextEncoder().encode(text)))
}
