/** Receipts of one account by one process hang together: each has the hash of the one before (`docs/receipts.md`). */
import {
  type Receipt,
  type ReceiptFlaw,
  type ReceiptKey,
  ReceiptRefused,
  sha256OfText,
  verifyReceipt,
} from './receipt.ts'

/** A chain that does not hold; `at` is the receipt, from 0, that is refused. */
export class ReceiptChainRefused extends ReceiptRefused {
  readonly at: number
  constructor(at: number, flaw: ReceiptFlaw, reason: string) {
    super(flaw, reason)
    this.name = 'ReceiptChainRefused'
    this.at = at
  }
}

/**
 * What the receipts of a chain say: each signed by this key, each the next of the one before it. A chain may begin
 * after its first receipt (`sequence` of the first says so), and says nothing of what came after its last.
 * @param texts in the order of their sequence
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
