import { z } from 'zod'
import { TRANSACTION_ID, TRANSACTION_STATES } from '../wire/transaction-states.ts'

/** A transaction that a run requested. It may have been sent later, and may never be mined. */
export const receiptTransactionSchema = z.strictObject({
  id: z.string().regex(TRANSACTION_ID, 'expected tx_ and 32 hex digits'),
  /** Address of the wallet, with an EIP-55 checksum. */
  wallet: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex with 0x'),
  chain_id: z.int().min(1),
  /** The state that the run last saw. */
  state: z.enum(TRANSACTION_STATES),
  /** Hash of the mined attempt, or of the last one that the run saw. Absent if it saw none. */
  hash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x')
    .optional(),
})

export type ReceiptTransaction = z.infer<typeof receiptTransactionSchema>
