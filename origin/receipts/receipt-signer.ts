import { hash, randomBytes } from 'node:crypto'
import type { EnvironmentName } from '../../shared/config/environments.ts'
import { type Receipt, RECEIPT_TYPE } from '../../shared/receipts/receipt.ts'
import { type ReceiptSignature, RECEIPT_SUMS_MAX } from '../../shared/receipts/receipt-signature.ts'
import type { ReceiptTransaction } from '../../shared/receipts/receipt-transaction.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import type { P256Key } from '../keys/p256-key.ts'
import { LruCache } from '../lru-cache.ts'
import type { Build } from '../version.ts'
import { JwsSigner } from './jws-signer.ts'

/**
 * Maximum number of receipt chains in memory, one per account, at about 300 bytes each. If an account's chain is
 * evicted, the account's next receipt starts a new series.
 */
const CHAINS_MAX = 16_384

/** Details of a run that its receipt needs but its outcome does not contain. */
export type ReceiptContext = {
  accountHash: string
  /** Params as JSON text, exactly as passed to the action. */
  params: string
  runId?: string | undefined
  /** Signatures by wallets with a policy. */
  signatures?: readonly ReceiptSignature[]
  /** Transactions that the run requested. */
  transactions?: readonly ReceiptTransaction[]
}

type ReceiptChain = { series: string; sequence: number; previous?: string }

export type ReceiptSignerOptions = {
  key: P256Key
  /** 32 bytes as lower-case hex. */
  composeHash: string
  build: Build
  environment?: EnvironmentName | undefined
  now: () => number
  random?: (bytes: number) => Buffer
}

/**
 * Signs receipts. The receipts of an account form a chain, in the order in which its runs finish. Signing is
 * synchronous, so two receipts can never have the same predecessor.
 */
export class ReceiptSigner {
  readonly #options: Omit<ReceiptSignerOptions, 'key'>
  readonly #signer: JwsSigner
  readonly #chains: LruCache<ReceiptChain>

  /** @throws {Error} if the compose hash is not 64 lower-case hex characters, because verifiers would reject it */
  constructor({ key, ...options }: ReceiptSignerOptions, chainsMax = CHAINS_MAX) {
    if (!/^[0-9a-f]{64}$/.test(options.composeHash))
      throw new Error('expected a compose hash of 32 bytes')
    this.#options = options
    this.#signer = new JwsSigner(key, RECEIPT_TYPE)
    this.#chains = new LruCache(chainsMax)
  }

  /** Returns the outcome with the receipt, which is appended to the account's chain. */
  addReceipt(run: ReceiptContext, outcome: Outcome): Outcome {
    const { composeHash, build, environment, now, random = randomBytes } = this.#options
    const chain = this.#chains.getOrCreate(run.accountHash, () => {
      return { series: random(16).toString('base64url'), sequence: 0 }
    })
    const sequence = chain.sequence + 1
    const payload: Receipt = {
      v: 1,
      action_cid: outcome.action_cid,
      params_sha256: hash('sha256', run.params),
      ...(outcome.status === 'success'
        ? {
            response_sha256: hash('sha256', JSON.stringify(outcome.response)),
            status: outcome.status,
          }
        : { status: outcome.status, error_code: outcome.code }),
      account_hash: run.accountHash,
      ...(run.runId !== undefined && { run_id: run.runId }),
      finished_at: new Date(now()).toISOString(),
      duration_ms: outcome.duration_ms,
      charged_cents: outcome.charged_cents,
      ...(run.signatures && run.signatures.length > 0 && { signatures: shortened(run.signatures) }),
      ...(run.transactions &&
        run.transactions.length > 0 && { transactions: [...run.transactions] }),
      compose_hash: composeHash,
      ...build,
      ...(environment && { environment }),
      series: chain.series,
      sequence,
      ...(chain.previous !== undefined && { previous_sha256: chain.previous }),
    }
    const receipt = this.#signer.sign(payload)
    chain.sequence = sequence
    chain.previous = hash('sha256', receipt)
    return { ...outcome, receipt }
  }
}

/** Omits sums beyond `RECEIPT_SUMS_MAX`. */
function shortened(signatures: readonly ReceiptSignature[]): ReceiptSignature[] {
  let room = RECEIPT_SUMS_MAX
  return signatures.map((signature) => {
    const sums = signature.sums.slice(0, room)
    room -= sums.length
    const omitted = signature.sums.length - sums.length
    return { ...signature, sums, ...(omitted > 0 && { sums_omitted: omitted }) }
  })
}
