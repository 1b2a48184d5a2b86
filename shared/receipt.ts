/**
 * A receipt: the origin's signed word on one execution, which can be shown to others and checked without asking
 * anybody (`docs/receipts.md`). It is a JWS in compact form (RFC 7515) under ES256 (RFC 7518, 3.4): one string.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { z } from 'zod'
import { decodeBase64url } from './base64url.ts'
import { encodeHex } from './hex.ts'

export const RECEIPT_ALGORITHM = 'ES256'
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

/**
 * Half of the order of P-256. With (r, s) also (r, order - s) verifies: anybody could make a second text of a receipt, and a
 * chain look forked. Only the lower s is a receipt's.
 */
const HALF_ORDER = '7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8'

const headerSchema = z.strictObject({ alg: z.string(), kid: z.string(), typ: z.string() })

/** Why a receipt is not believed. The first six are of one receipt, the others of a chain. */
export type ReceiptFlaw =
  | 'malformed'
  | 'algorithm'
  | 'type'
  | 'other_key'
  | 'signature'
  | 'payload'
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

/** The public key that receipts are checked with; `importReceiptKey` in `shared/client/verification/receipt-key.ts` makes one. */
export type ReceiptKey = {
  /** First 16 bytes of SHA-256 of the uncompressed point, in hex. */
  kid: string
  /** @param signature r and s, 32 bytes each */
  verify(signature: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<boolean>
}

/**
 * What a receipt says, when this key has signed it. Algorithm, type and key are what we expect and never what the text
 * asks for (RFC 8725, 3.1 and 3.11).
 * @throws {ReceiptRefused}
 */
export async function verifyReceipt(text: string, publicKey: ReceiptKey): Promise<Receipt> {
  const [header, payload, signature, ...more] = text.split('.')
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
    throw new ReceiptRefused('malformed', 'it is not a JWS in compact form: three parts')
  const fields = headerSchema.safeParse(jsonIn(header, 'header'))
  if (!fields.success)
    throw new ReceiptRefused('malformed', 'its header has not exactly alg, kid and typ')
  const { alg, kid, typ } = fields.data
  if (alg !== RECEIPT_ALGORITHM)
    throw new ReceiptRefused('algorithm', `its algorithm is not ${RECEIPT_ALGORITHM}`)
  if (typ !== RECEIPT_TYPE) throw new ReceiptRefused('type', `its type is not ${RECEIPT_TYPE}`)
  if (kid !== publicKey.kid)
    throw new ReceiptRefused('other_key', 'it names another key than the one it is checked with')
  const bytes = decodeBase64url(signature)
  if (bytes?.length !== 64)
    throw new ReceiptRefused('malformed', 'its signature has not 64 bytes in base64url')
  if (encodeHex(bytes.subarray(32)) > HALF_ORDER)
    throw new ReceiptRefused('malformed', 'its signature is the other one of two that verify')
  if (!(await publicKey.verify(bytes, encoder.encode(`${header}.${payload}`))))
    throw new ReceiptRefused('signature', 'its signature is not that of this key over this text')
  const receipt = receiptSchema.safeParse(jsonIn(payload, 'payload'))
  if (!receipt.success)
    throw new ReceiptRefused('payload', 'it is signed, and says what no receipt of version 1 says')
  return receipt.data
}

/** SHA-256 (hex) of a text in UTF-8: what receipts have of params, responses and the receipt before. */
export function sha256OfText(text: string): string {
  return encodeHex(sha256(encoder.encode(text)))
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

function jsonIn(part: string, name: string): unknown {
  const bytes = decodeBase64url(part)
  try {
    if (bytes) return JSON.parse(decoder.decode(bytes))
  } catch {
    // Told below, as text that is not base64url.
  }
  throw new ReceiptRefused('malformed', `its ${name} is not JSON in base64url`)
}
