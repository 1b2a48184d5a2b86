import { actionCid } from '../../cid/compute-cid.ts'
import {
  type Receipt,
  type ReceiptKey,
  sha256OfText,
  verifyReceipt,
} from '../../receipts/receipt.ts'
import { ORIGIN_LOST, type Outcome } from '../../wire/outcome.ts'
import { ReceiptMismatch } from './failures.ts'

/** A call as the client sent it, which is compared with the receipt. */
type CalledAction = {
  code: string
  /** Text of `js_params`, exactly as sealed. */
  paramsText: string
}

/**
 * Verifies the receipt of a call. Does not check the account, because a client with a usage key does not have the
 * account's hash.
 * @returns undefined if the origin lost the run
 * @throws {ReceiptRefused | ReceiptMismatch} if the receipt is not for this call and outcome
 */
export async function verifyCallReceipt(
  call: CalledAction,
  outcome: Outcome,
  { key, composeHash }: { key: ReceiptKey; composeHash: string },
): Promise<Receipt | undefined> {
  if (outcome.receipt === undefined) {
    if (outcome.status === 'failed' && outcome.code === ORIGIN_LOST) return undefined
    throw new ReceiptMismatch('no receipt')
  }
  const receipt = await verifyReceipt(outcome.receipt, key)
  const expected: Partial<Receipt> = {
    action_cid: await actionCid(call.code),
    params_sha256: sha256OfText(call.paramsText),
    status: outcome.status,
    response_sha256:
      outcome.status === 'success' ? sha256OfText(JSON.stringify(outcome.response)) : undefined,
    error_code: outcome.status === 'failed' ? outcome.code : undefined,
    run_id: undefined,
    duration_ms: outcome.duration_ms,
    charged_cents: outcome.charged_cents,
    compose_hash: composeHash,
  }
  for (const [field, value] of Object.entries(expected))
    if (receipt[field as keyof Receipt] !== value) throw new ReceiptMismatch(field)
  if (outcome.action_cid !== receipt.action_cid) throw new ReceiptMismatch('action_cid')
  return receipt
}
