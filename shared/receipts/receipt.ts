/**
 * A receipt is the origin's signed statement about one execution. It can be passed on and verified offline
 * (`docs/receipts.md`).
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { z } from 'zod'
import { ENVIRONMENT_NAMES } from '../config/environments.ts'
import { encodeHex } from '../encoding/hex.ts'
import { KEY_OPERATIONS_MAX } from '../limits.ts'
import { type JwsFlaw, type JwsKey, InvalidJwsError, verifyJws } from '../crypto/jws.ts'
import { receiptSignatureSchema } from './receipt-signature.ts'
import { receiptTransactionSchema } from './receipt-transaction.ts'

export const RECEIPT_TYPE = 'svc-receipt+jws'

const sha256HexSchema = z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hex')

const receiptSchema = z
  .strictObject({
    v: z.literal(1),
    action_cid: z.string().min(1),
    /** Hash of the params' JSON text, exactly as executed. */
    params_sha256: sha256HexSchema,
    /** Hash of the response as serialized by `JSON.stringify`. Absent if the run failed. */
    response_sha256: sha256HexSchema.optional(),
    status: z.enum(['success', 'failed']),
    /** Error code such as `action_threw`. Absent if the run succeeded. */
    error_code: z.string().min(1).optional(),
    /** Hash of the account that paid, as in the contract. */
    account_hash: z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x'),
    /** ID of the run. Absent if the execution has no run ID. */
    run_id: z.string().min(1).optional(),
    finished_at: z.iso.datetime({ precision: 3 }),
    /** Wall-clock time of the execution inside the sandbox. */
    duration_ms: z.number().min(0),
    charged_cents: z.int().min(0),
    /** Signatures by wallets with a policy, in the order of signing. Absent if there are none. */
    signatures: z.array(receiptSignatureSchema).min(1).max(KEY_OPERATIONS_MAX).optional(),
    /** Transactions that the run requested, in the order of the requests. Absent if there are none. */
    transactions: z.array(receiptTransactionSchema).min(1).max(KEY_OPERATIONS_MAX).optional(),
    /** Compose hash of the application that ran the action, as in the evidence at that time. */
    compose_hash: sha256HexSchema,
    /** Version, commit and environment of the origin. Absent in receipts that were signed before these fields existed. */
    version: z.string().min(1).optional(),
    commit: z.string().min(1).optional(),
    environment: z.enum(ENVIRONMENT_NAMES).optional(),
    /** ID of the receipt chain: 16 random bytes in base64url. Each account and process has its own series. */
    series: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'expected 16 bytes in base64url'),
    /** Position in the series. It starts at 1 and has no gaps. */
    sequence: z.int().min(1),
    /** Hash of the previous receipt's text. Absent in the first receipt of a series. */
    previous_sha256: sha256HexSchema.optional(),
  })
  .refine(({ status, response_sha256, error_code }) =>
    status === 'success'
      ? response_sha256 !== undefined && error_code === undefined
      : response_sha256 === undefined && error_code !== undefined,
  )
  .refine((receipt) => (receipt.sequence === 1) === (receipt.previous_sha256 === undefined))
export type Receipt = z.infer<typeof receiptSchema>

export type ReceiptFlaw =
  | JwsFlaw
  | 'other_account'
  | 'other_series'
  | 'repeated'
  | 'not_in_order'
  | 'gap'
  | 'fork'

export class InvalidReceiptError extends Error {
  readonly flaw: ReceiptFlaw
  constructor(flaw: ReceiptFlaw, reason: string) {
    super(reason)
    this.name = 'InvalidReceiptError'
    this.flaw = flaw
  }
}

export type ReceiptKey = JwsKey

const RECEIPT = { type: RECEIPT_TYPE, noun: 'receipt', payload: receiptSchema }

/** @throws {InvalidReceiptError} */
export async function verifyReceipt(text: string, publicKey: ReceiptKey): Promise<Receipt> {
  try {
    return await verifyJws(text, RECEIPT, publicKey)
  } catch (error) {
    if (error instanceof InvalidJwsError) throw new InvalidReceiptError(error.flaw, error.message)
    throw error
  }
}

/**
 * Returns the SHA-256 of the text's UTF-8 bytes, as hex. Receipts contain such hashes of params, responses and the
 * previous receipt.
 */
export function sha256OfText(text: string): string {
  return encodeHex(sha256(new TextEncoder().encode(text)))
}
