/** Schemas of the operations on transactions (docs/transactions.md). Amounts are decimal texts in wei. */
import { z } from 'zod'
import { addressSchema, cidSchema, hashSchema } from './fields.ts'

/**
 * - `queued`: stored, and not signed yet
 * - `signed`: its nonce and signed bytes are stored, and no node has accepted it yet
 * - `broadcast`: a node has accepted it
 * - `mined`: in a block that a reorganization may still remove
 * - `final`: in a final block, and successful
 * - `replaced`: a transaction that this service did not sign used its nonce
 * - `cancelled`: cancelled before it was signed, or by an empty transaction with its nonce
 * - `failed`: rejected before it was signed, or reverted in a block
 */
export const TRANSACTION_STATES = [
  'queued',
  'signed',
  'broadcast',
  'mined',
  'final',
  'replaced',
  'cancelled',
  'failed',
] as const
export type TransactionState = (typeof TRANSACTION_STATES)[number]

/** How soon a transaction should be mined. Decides the first fees, and when they are raised. */
export const TRANSACTION_SPEEDS = ['fast', 'normal', 'cheap'] as const
export type TransactionSpeed = (typeof TRANSACTION_SPEEDS)[number]

/** Why an open transaction is not further. Null if it needs no explanation. */
export const WAITING_REASONS = ['order', 'funds', 'fees', 'nonce', 'chain'] as const
export type WaitingReason = (typeof WAITING_REASONS)[number]

export const FAILURE_CODES = [
  'policy_denied',
  'permission_revoked',
  'would_revert',
  'insufficient_funds',
  'gas_limit_too_high',
  'reverted',
] as const
export type TransactionFailureCode = (typeof FAILURE_CODES)[number]

const amountSchema = z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/)
const timeSchema = z.iso.datetime()

/** A signed transaction. All attempts of a transaction have the same nonce, unless another transaction used it. */
const attemptSchema = z.object({
  hash: hashSchema,
  kind: z.enum(['send', 'speed_up', 'cancel']),
  nonce: z.int(),
  max_fee_per_gas: amountSchema,
  max_priority_fee_per_gas: amountSchema,
  created_at: timeSchema,
})

export const transactionSchema = z.object({
  id: z.string().meta({ description: 'ID of the transaction: tx_ and 32 hex digits.' }),
  state: z.enum(TRANSACTION_STATES),
  waiting_for: z.enum(WAITING_REASONS).nullable(),
  chain: z.string().meta({ description: 'Name of the chain, such as base.' }),
  chain_id: z.int(),
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  to: addressSchema,
  data: z.string(),
  value: amountSchema,
  gas: amountSchema.nullable().meta({ description: 'Gas limit. Null before it is estimated.' }),
  max_fee_per_gas: amountSchema
    .nullable()
    .meta({ description: 'Highest fee that may be paid for a unit of gas. Null if not limited.' }),
  speed: z.enum(TRANSACTION_SPEEDS),
  nonce: z.int().nullable(),
  attempts: z.array(attemptSchema).meta({ description: 'Every signed transaction, oldest first.' }),
  mined: z
    .object({
      hash: hashSchema,
      block_number: z.int(),
      block_hash: hashSchema,
      gas_used: amountSchema,
      effective_gas_price: amountSchema,
    })
    .nullable()
    .meta({ description: 'The attempt that is in a block.' }),
  replaced_by: hashSchema
    .nullable()
    .meta({ description: 'Hash of the foreign transaction that used the nonce, if known.' }),
  failure: z.object({ code: z.enum(FAILURE_CODES), message: z.string() }).nullable(),
  policy: z.object({ hash: hashSchema, rule: z.string() }).nullable().meta({
    description: 'Policy and rule that allowed the last signature. Null without a policy.',
  }),
  action_cid: cidSchema.nullable(),
  run_id: z.string().nullable(),
  step: z.int().nullable().meta({ description: 'Position among the transactions of its run.' }),
  created_at: timeSchema,
  updated_at: timeSchema,
  ended_at: timeSchema
    .nullable()
    .meta({ description: 'Time since which the state cannot change any more. Null until then.' }),
})
export type TransactionRecord = z.infer<typeof transactionSchema>
