/**
 * Verifies chains of receipts. Each receipt contains the hash of the previous receipt of the same account and process
 * (`docs/receipts.md`).
 */
import {
  type Receipt,
  type ReceiptFlaw,
  type ReceiptKey,
  InvalidReceiptError,
  sha256OfText,
  verifyReceipt,
} from './receipt.ts'

/** A chain of receipts is invalid. `at` is the zero-based index of the offending receipt. */
export class InvalidReceiptChainError extends InvalidReceiptError {
  readonly at: number
  constructor(at: number, flaw: ReceiptFlaw, reason: string) {
    super(flaw, reason)
    this.name = 'InvalidReceiptChainError'
    this.at = at
  }
}

/**
 * Verifies a chain, in which each receipt must directly follow the one before it. A chain may start after the first
 * receipt (see `sequence`), and does not prove that there are no later receipts.
 * @param texts receipts in sequence order
 * @throws {InvalidReceiptChainError}
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
    if (flaw) throw new InvalidReceiptChainError(at, ...flaw)
    receipts.push(receipt)
  }
  return receipts
}

async function verifiedAt(at: number, text: string, publicKey: ReceiptKey): Promise<Receipt> {
  try {
    return await verifyReceipt(text, publicKey)
  } catch (error) {
    if (!(error instanceof InvalidReceiptError)) throw error
    throw new InvalidReceiptChainError(at, error.flaw, error.message)
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
    return ['other_account', 'it belongs to a different account than the receipt before it']
  if (receipt.series !== before.series)
    return ['other_series', 'it belongs to a different series; each series is a separate chain']
  if (text === textBefore) return ['repeated', 'it repeats the receipt before it']
  if (sequence === before.sequence)
    return ['fork', `there are two different receipts with the sequence ${sequence}`]
  if (sequence < before.sequence)
    return ['not_in_order', `its sequence ${sequence} comes after ${before.sequence}`]
  if (sequence > before.sequence + 1)
    return ['gap', `its sequence is ${sequence}, but the receipt before it has ${before.sequence}`]
  if (receipt.previous_sha256 !== sha256OfText(textBefore))
    return ['fork', `it follows a different receipt with the sequence ${before.sequence}`]
  return undefined
}
