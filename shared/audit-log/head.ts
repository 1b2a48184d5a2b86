/**
 * The head of an account's audit log, signed with the origin's receipt key, to which the evidence commits. A client that
 * kept an earlier head detects if entries were removed or rewritten since.
 */
import { z } from 'zod'
import { type JwsKey, verifyJws } from '../crypto/jws.ts'

export const AUDIT_HEAD_TYPE = 'svc-audit-head+jws'

const hexSchema = z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hex')

const auditHeadSchema = z
  .strictObject({
    v: z.literal(1),
    account_hash: z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x'),
    /** Number of entries, which is the sequence of the last one. */
    sequence: z.int().min(0),
    /** Hash of the last entry. Null if there is none. */
    entry_sha256: hexSchema.nullable(),
    signed_at: z.iso.datetime(),
    /** Compose hash of the application that signed the head. */
    compose_hash: hexSchema,
  })
  .refine(({ sequence, entry_sha256 }) => (sequence === 0) === (entry_sha256 === null))
export type AuditHead = z.infer<typeof auditHeadSchema>

const HEAD = { type: AUDIT_HEAD_TYPE, noun: 'head of an audit log', payload: auditHeadSchema }

/** Verifies the signature. The caller must check the fields. @throws {InvalidJwsError} */
export function readAuditHead(text: string, key: JwsKey): Promise<AuditHead> {
  return verifyJws(text, HEAD, key)
}
