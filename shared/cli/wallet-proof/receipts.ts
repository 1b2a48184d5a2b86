import {
  type Receipt,
  InvalidReceiptError,
  type ReceiptKey,
  verifyReceipt,
} from '../../receipts/receipt.ts'
import type { ReceiptSignature } from '../../receipts/receipt-signature.ts'
import type { Policies } from './documents.ts'
import type { PolicyHistory } from './history.ts'
import { ProofRefusedError, prove } from './proof-error.ts'

/**
 * Tolerated difference between the machine's clock, which is used in receipts, and block timestamps, which determine
 * when a policy held.
 */
const CLOCKS_DIFFER_S = 300

export type ProvenSignature = ReceiptSignature & {
  finishedAt: string
  /** Compose hash of the release that signed the receipt. */
  composeHash: string
}

type Wallet = {
  /** Lower-case address. */
  address: string
  accountHash: string
  history: PolicyHistory
  policies: Policies
}

/** Verifies receipts, and returns the wallet's signatures in them. @throws {ProofRefusedError} */
export async function readReceipts(
  texts: readonly string[],
  key: ReceiptKey,
  wallet: Wallet,
): Promise<ProvenSignature[]> {
  prove(new Set(texts).size === texts.length, 'repeated_receipt', 'a receipt is there twice')
  const signatures = await Promise.all(
    texts.map(async (text) => signaturesOf(await readReceipt(text, key), wallet)),
  )
  return signatures.flat()
}

async function readReceipt(text: string, key: ReceiptKey): Promise<Receipt> {
  try {
    return await verifyReceipt(text, key)
  } catch (error) {
    if (!(error instanceof InvalidReceiptError)) throw error
    throw new ProofRefusedError('receipt', `a receipt is invalid: ${error.message}`)
  }
}

function signaturesOf(receipt: Receipt, wallet: Wallet): ProvenSignature[] {
  prove(
    receipt.account_hash === wallet.accountHash,
    'receipt_of_another_account',
    `a receipt is of the account ${receipt.account_hash}`,
  )
  const own = (receipt.signatures ?? []).filter(
    (signature) => signature.wallet.toLowerCase() === wallet.address,
  )
  prove(
    own.length > 0,
    'receipt_without_the_wallet',
    `the receipt ${receipt.sequence} of the series ${receipt.series} names no signature of the wallet`,
  )
  for (const signature of own) requireAllowed(signature, receipt, wallet)
  const { finished_at: finishedAt, compose_hash: composeHash } = receipt
  return own.map((signature) => ({ ...signature, finishedAt, composeHash }))
}

function requireAllowed(signature: ReceiptSignature, receipt: Receipt, wallet: Wallet): void {
  const { policy_hash: hash, digest } = signature
  const finished = Date.parse(receipt.finished_at) / 1_000
  const started = finished - receipt.duration_ms / 1_000
  const periods = wallet.history.held.filter(({ policy_hash }) => policy_hash === hash)
  prove(
    periods.length > 0,
    'policy_of_no_time',
    `a receipt names the policy ${hash}, under which the wallet never was`,
  )
  const held = periods.some(
    ({ from, until }) =>
      from <= finished + CLOCKS_DIFFER_S &&
      (until === undefined || until > started - CLOCKS_DIFFER_S),
  )
  prove(
    held,
    'policy_at_another_time',
    `the policy ${hash} did not hold at ${receipt.finished_at}, when ${digest} was signed`,
  )
  requireRule(signature, wallet.policies)
}

/** Checks the amounts, and if the document of the policy is available, also the rule and its sums. */
function requireRule(
  { policy_hash, rule: name, sums }: ReceiptSignature,
  policies: Policies,
): void {
  for (const { key, remaining, max } of sums)
    prove(
      BigInt(remaining) <= BigInt(max),
      'too_much_remaining',
      `a receipt says that ${remaining} of ${max} remained of the sum ${key}`,
    )
  const policy = policies.get(policy_hash)
  if (!policy) return
  const rule = policy.document.rules.find((each) => each.name === name && each.effect === 'allow')
  prove(
    rule !== undefined,
    'unknown_rule',
    `a receipt names the rule ${JSON.stringify(name)}, with which the policy ${policy_hash} allows nothing`,
  )
  for (const { key, max } of sums) {
    // Names of sums contain no slash.
    const [sum] = key.split('/')
    const isCounted = rule.sums?.some((each) => each === sum) ?? false
    prove(
      isCounted && policy.scope.sums.get(sum!)?.max === max,
      'other_sum',
      `a receipt names the sum ${key} with the maximum ${max}, which the rule ${JSON.stringify(name)} does not have`,
    )
  }
}
