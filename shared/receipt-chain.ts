/**
 * Verifies chains of receipts: each receipt of an account and process contains the hash of the previous one
 * (`docs/receipts.md`).
 */
import {
  type Receipt,
  type ReceiptFlaw,
  type ReceiptKey,
  ReceiptRefused,
  sha256OfText,
  verifyReceipt,
} from './receipt.ts'

/** A broken chain. `at` is the zero-based index of the offending receipt. */
export class ReceiptChainRefused extends ReceiptRefused {
  readonly at: number
  constructor(at: number, flaw: ReceiptFlaw, reason: string) {
    super(flaw, reason)
    this.name = 'ReceiptChainRefused'
    this.at = at
  }
}

/**
 * Verifies that each receipt is signed by this key and directly follows the one before it. A chain may start after the
 * first receipt (see `sequence`), and does not prove that there are no later receipts.
 * @param texts in sequence order
 * @returns the receipts' contents
 * @throws {ReceiptChainRefused}
 */
export async function verifyReceiptChain(
  texts: readonly string[],
  publicKey: ReceiptKey,
): Promise<Receipt[]> {
  const receipts: Receipt[] = []
  for (const [at, text] of texts.entries()) {
    const receipt = await verifiedAt(at, text, publicKey)
    const before = receipts.at(-1)
    const flaw = before && flawBetween(before, texts[at - 1]!, receipt, text)
    if (flaw) throw new ReceiptChainRefused(at, ...flaw)
    receipts.push(receipt)
  }
  return receipts
}

async function verifiedAt(at: number, text: string, publicKey: ReceiptKey): Promise<Receipt> {
  try {
    return await verifyReceipt(text, publicKey)
  } catch (error) {
    if (!(error instanceof ReceiptRefused)) throw error
    throw new ReceiptChainRefused(at, error.flaw, error.message)
  }
}

function flawBetween(
  before: Receipt,
  textBefore: string,
  receipt: Receipt,
  text: string,
): [ReceiptFlaw, string] | undefined {
  const { sequence } = receipt
  if (receipt.account_hash !== before.account_hash)
    return ['other_account', 'it is of another account than the receipt before it']
  if (receipt.series !== before.series)
    return ['other_series', 'it is of another series: each series is a chain of its own']
  if (text === textBefore) return ['repeated', 'it is the receipt before it once more']
  if (sequence === before.sequence)
    return ['fork', `there are two different receipts with the sequence ${sequence}`]
  if (sequence < before.sequence)
    return ['not_in_order', `its sequence ${sequence} comes after ${before.sequence}`]
  if (sequence > before.sequence + 1)
    return ['gap', `its sequence is ${sequence}, and the one before it is ${before.sequence}`]
  if (receipt.previous_sha256 !== sha256OfText(textBefore))
    return ['fork', `it follows another receipt with the sequence ${before.sequence}`]
  return undefined
}
