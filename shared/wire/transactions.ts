/** Schemas of the operations on transactions (docs/transactions.md). Amounts are decimal texts in wei. */
import { z } from 'zod'
import { LISTED_DATA_MAX_BYTES, TRANSACTION_DATA_RETENTION_DAYS } from '../limits.ts'
import {
  TRANSACTION_FAILURE_CODES,
  TRANSACTION_ID,
  TRANSACTION_SPEEDS,
  TRANSACTION_STATES,
  WAITING_REASONS,
} from './transaction-states.ts'
import { addressSchema, cidSchema, hashSchema, pkpIdSchema } from './fields.ts'

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
  waiting_message: z.string().nullable().meta({
    description:
      'Why it waits, if a signature was refused: for example, the sum of a policy that has no room for higher fees.',
  }),
  chain: z.string().meta({ description: 'Name of the chain, such as base.' }),
  chain_id: z.int(),
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  to: addressSchema,
  data: z
    .string()
    .nullable()
    .meta({
      description: `Null if it had more than ${LISTED_DATA_MAX_BYTES.toLocaleString('en')} bytes, and the transaction ended more than ${TRANSACTION_DATA_RETENTION_DAYS} days ago.`,
    }),
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
  failure: z.object({ code: z.enum(TRANSACTION_FAILURE_CODES), message: z.string() }).nullable(),
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

/** Large data is left out, so that a page of transactions is bounded. */
export const listedTransactionSchema = transactionSchema.extend({
  data: z
    .string()
    .nullable()
    .meta({
      description: `Null if it has more than ${LISTED_DATA_MAX_BYTES.toLocaleString('en')} bytes and the list was not requested with id, or if it was removed ${TRANSACTION_DATA_RETENTION_DAYS} days after the end. Request the transaction with id to get it.`,
    }),
})
export type ListedTransaction = z.infer<typeof listedTransactionSchema>
export const listedTransactionsResponse = z.array(listedTransactionSchema)

const integerInput = z.union([z.string(), z.int()])
const chainInput = integerInput.meta({
  description: 'Name of a chain, such as base, or its chain ID.',
})

/**
 * Shape of a request. `readTransactionRequest` of the origin reads the values, because an action passes the same values
 * in other types.
 */
export const sendTransactionRequest = z.looseObject({
  pkp_id: z.string().meta({ description: 'ID or address of the wallet that sends.' }),
  chain: chainInput,
  to: z.string().meta({ description: 'Address of the recipient. Contracts cannot be created.' }),
  data: z.string().optional().meta({ description: 'Calldata as 0x hex.' }),
  value: integerInput
    .optional()
    .meta({ description: 'Amount in wei: decimal text, 0x hex, or an integer below 2^53.' }),
  gas: integerInput.optional().meta({ description: 'Gas limit. Estimated if absent.' }),
  max_fee_per_gas: integerInput.optional().meta({
    description: 'Highest fee in wei that may be paid for a unit of gas, also after a speed-up.',
  }),
  speed: z
    .enum(TRANSACTION_SPEEDS)
    .optional()
    .meta({ description: 'How soon it should be mined. Default: normal.' }),
  errors: z.array(z.string()).optional().meta({
    description:
      'Signatures of the custom errors of the contract, such as error Paused(uint256 until), to decode a revert.',
  }),
})

const transactionIdSchema = z
  .string()
  .regex(TRANSACTION_ID, 'expected tx_ and 32 hex digits')
  .meta({ description: 'ID of a transaction, as send_transaction returned it.' })

export const transactionsQuery = z.object({
  id: transactionIdSchema.optional().describe('Only the transaction with this ID.'),
  pkp_id: pkpIdSchema.optional().describe('Only transactions of this wallet: its ID or address.'),
  chain: z.string().max(64).optional().describe('Only transactions on this chain: name or ID.'),
  state: z.enum(TRANSACTION_STATES).optional().describe('Only transactions in this state.'),
  run_id: z
    .string()
    .max(128)
    .regex(/^[!-~]*$/, 'expected the ID of a run')
    .optional()
    .describe('Only transactions that this run requested.'),
})

export const cancelTransactionRequest = z.object({ id: transactionIdSchema })

const feeSchema = integerInput.meta({ description: 'Fee in wei for a unit of gas.' })

export const speedUpTransactionRequest = z.object({
  id: transactionIdSchema,
  max_fee_per_gas: feeSchema.optional().meta({
    description:
      'New highest fee in wei for a unit of gas, which replaces the one of the transaction.',
  }),
})

const defaultsFields = {
  max_fee_per_gas: amountSchema.nullable().meta({
    description:
      'Highest fee in wei for a unit of gas, unless a transaction has a lower one. Null: no limit.',
  }),
  low_balance: amountSchema
    .nullable()
    .meta({ description: 'Balance in wei below which a wallet counts as low. Null: never.' }),
}

/** Defaults of an account on a chain. */
const transactionDefaultsSchema = z.object({
  chain: z.string(),
  chain_id: z.int(),
  ...defaultsFields,
})
export type TransactionDefaultsRecord = z.infer<typeof transactionDefaultsSchema>
export const transactionDefaultsResponse = transactionDefaultsSchema
export const transactionDefaultsListResponse = z.array(transactionDefaultsSchema)

export const setTransactionDefaultsRequest = z.object({
  chain: chainInput,
  max_fee_per_gas: feeSchema
    .optional()
    .meta({ description: 'Highest fee in wei for a unit of gas. Absent: no limit.' }),
  low_balance: integerInput.optional().meta({
    description: 'Balance in wei below which a wallet counts as low. Absent: never.',
  }),
})

export const transactionBalancesQuery = z.object({
  pkp_id: pkpIdSchema.describe('The wallet: its ID or address.'),
})

export const transactionBalancesResponse = z.array(
  z.object({
    chain: z.string(),
    chain_id: z.int(),
    balance: amountSchema.meta({ description: 'Balance in wei when it was last read.' }),
    low_balance: defaultsFields.low_balance,
    is_low: z.boolean().meta({ description: 'True if the balance is below low_balance.' }),
    read_at: timeSchema.meta({
      description: 'The balance is read before transactions are signed.',
    }),
  }),
)
export type TransactionBalance = z.infer<typeof transactionBalancesResponse>[number]

export const transactionChainsResponse = z.array(
  z.object({
    chain: z.string().meta({ description: 'Name of the chain.' }),
    chain_id: z.int(),
    finality: z.int().meta({ description: 'Blocks below the head at which a block is final.' }),
  }),
)
export type SendingChain = z.infer<typeof transactionChainsResponse>[number]
