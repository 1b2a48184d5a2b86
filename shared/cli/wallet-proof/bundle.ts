/** Proof bundle: everything that `svc verify wallet` collects about a wallet, for verification without the network. */
import { z } from 'zod'
import { bundleSchema } from '../../attestation/evidence.ts'
import { duplicateMember } from '../../json/duplicate-member.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { ProofRefusedError, prove } from './proof-error.ts'

const wordSchema = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in lower-case hex')
const addressSchema = z.string().regex(/^0x[0-9a-f]{40}$/, 'expected an address in lower case')
const time = z.int().min(0)

/** Terms of a policy that the contract records. */
const termsFields = { policy_hash: wordSchema, change_delay_s: time, is_immutable: z.boolean() }

/** A `WalletPolicySet` event. Times are block timestamps in Unix seconds. */
const eventSchema = z.strictObject({
  contract: addressSchema,
  account_hash: wordSchema,
  pkp_id: wordSchema,
  replaces: wordSchema,
  ...termsFields,
  set_at: time,
  effective_at: time,
  block_number: time,
  transaction_hash: wordSchema,
  log_index: time,
})
export type PolicyEvent = z.infer<typeof eventSchema>

/** Result of `walletPolicyOf` at the block. */
const recordSchema = z.strictObject({
  pkp_id: wordSchema,
  ...termsFields,
  set_at: time,
  pending: z.strictObject({ ...termsFields, effective_at: time }).nullable(),
})
export type RecordedPolicy = z.infer<typeof recordSchema>

/** Facts that a chain node reported. They are not proven. */
const chainSchema = z.strictObject({
  chain_id: z.int().min(1),
  contract: addressSchema,
  block: z.strictObject({ number: time, hash: wordSchema, timestamp: time }),
  record: recordSchema,
  events: z.array(eventSchema).max(10_000),
})
export type ChainFacts = z.infer<typeof chainSchema>

const proofSchema = z.strictObject({
  version: z.literal(1),
  /** Lower-case address. */
  wallet: addressSchema,
  evidence: bundleSchema,
  /** JWS signed by the origin (`shared/receipts/wallet-statement.ts`). */
  statement: z.string(),
  chain: chainSchema,
  /** Canonical JSON of the policy that holds, and possibly of the pending one and of former ones. */
  documents: z.array(z.string()).max(1_000),
  receipts: z.array(z.string()).max(100_000),
})
export type WalletProof = z.infer<typeof proofSchema>

/** @throws {ProofRefusedError} if the text is not a bundle, or has duplicate members */
export function parseWalletProof(text: string): WalletProof {
  const value = tryParseJson(text)
  prove(value !== undefined, 'malformed', 'the file is not JSON')
  const twice = duplicateMember(text)
  prove(twice === undefined, 'malformed', `the member ${twice} occurs twice`)
  const result = proofSchema.safeParse(value)
  if (result.success) return result.data
  const { path, message } = result.error.issues[0]!
  throw new ProofRefusedError(
    'malformed',
    `the file is not a bundle written by svc verify wallet --save: ${path.join('.')}: ${message}`,
  )
}
