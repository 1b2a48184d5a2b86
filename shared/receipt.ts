/**
 * A receipt: the origin's signed word on one execution, which can be shown to others and checked without asking
 * anybody (`docs/receipts.md`). It is a JWS (`jws.ts`): one string.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { z } from 'zod'
import { encodeHex } from './hex.ts'
import { type JwsFlaw, type JwsKey, JwsRefused, verifyJws } from './jws.ts'

export const RECEIPT_TYPE = 'svc-receipt+jws'

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in hex')

export const receiptSchema = z
  .strictObject({
    v: z.literal(1),
    action_cid: z.string().min(1),
    /** Of the JSON text of the params, byte for byte as the origin ran them. */
    params_sha256: sha256Hex,
    /** Of the response as `JSON.stringify` writes it; absent where the run failed. */
    response_sha256: sha256Hex.optional(),
    status: z.enum(['success', 'failed']),
    /** Where the run failed: `action_threw`, ... */
    error_code: z.string().min(1).optional(),
    /** The account that paid, as the contract names it. */
    account_hash: z.string().regex(/^0x[0-9a-f]{64}$/, '32 bytes in 0x hex'),
    /** Where the run had an id. */
    run_id: z.string().min(1).optional(),
    finished_at: z.iso.datetime({ precision: 3 }),
    /** Wall clock inside the sandbox. */
    duration_ms: z.number().min(0),
    charged_cents: z.int().min(0),
    /** Of the application that ran it: what the evidence of that time shows. */
    compose_hash: sha256Hex,
    /** 16 random bytes in base64url: one chain of receipts, of one account at one process. */
    series: z.string().regex(/^[A-Za-z0-9_-]{22}$/, '16 bytes in base64url'),
    /** From 1, without gaps. */
    sequence: z.int().min(1),
    /** Of the text of the receipt before; the first has none. */
    previous_sha256: sha256Hex.optional(),
  })
  .refine(({ status, response_sha256, error_code }) =>
    status === 'success'
      ? response_sha256 !== undefined && error_code === undefined
      : response_sha256 === undefined && error_code !== undefined,
  )
  .refine((receipt) => (receipt.sequence === 1) === (receipt.previous_sha256 === undefined))
export type Receipt = z.infer<typeof receiptSchema>

/** Why a receipt is not believed: for what it is itself, or for its place in a chain. */
export type ReceiptFlaw =
  | JwsFlaw
  | 'other_account'
  | 'other_series'
  | 'repeated'
  | 'not_in_order'
  | 'gap'
  | 'fork'

export class ReceiptRefused extends Error {
  readonly flaw: ReceiptFlaw
  constructor(flaw: ReceiptFlaw, reason: string) {
    super(reason)
    this.name = 'ReceiptRefused'
    this.flaw = flaw
  }
}

/** The public key that receipts are checked with. */
export type ReceiptKey = JwsKey

const RECEIPT = { type: RECEIPT_TYPE, noun: 'receipt', payload: receiptSchema }

/**
 * What a receipt says, when this key has signed it.
 * @throws {ReceiptRefused}
 */
export async function verifyReceipt(text: string, publicKey: ReceiptKey): Promise<Receipt> {
  try {
    return await verifyJws(text, RECEIPT, publicKey)
  } catch (error) {
    if (error instanceof JwsRefused) throw new ReceiptRefused(error.flaw, error.message)
    throw error
  }
}

/** SHA-256 (hex) of a text in UTF-8: what receipts have of params, responses and the receipt before. */
export function sha256OfText(text: string): string {
  return encodeHex(sha256(new TextEncoder().encode(text)))
}
