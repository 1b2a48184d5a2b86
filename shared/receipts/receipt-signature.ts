import { z } from 'zod'

/** Maximum number of sums in a receipt, which is also a response header. Many clients allow 16 KiB. */
export const RECEIPT_SUMS_MAX = 16

const wordSchema = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x')
const amountSchema = z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/, 'expected a decimal amount')

/** A signature by a wallet with a policy. */
export const receiptSignatureSchema = z.strictObject({
  /** Address of the wallet, with an EIP-55 checksum. */
  wallet: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex with 0x'),
  digest: wordSchema,
  /** Hash of the policy that allowed the signature. */
  policy_hash: wordSchema,
  /** Name of the rule that allowed the signature. */
  rule: z.string().min(1),
  /** Sums that counted the signature, with the amounts that remained afterwards, in the smallest unit. */
  sums: z
    .array(z.strictObject({ key: z.string().min(1), remaining: amountSchema, max: amountSchema }))
    .max(RECEIPT_SUMS_MAX),
  /** Number of sums that are omitted. A receipt lists at most 16 in total. */
  sums_omitted: z.int().min(1).optional(),
})

export type ReceiptSignature = z.infer<typeof receiptSignatureSchema>
