import { hash, type KeyObject, randomBytes } from 'node:crypto'
import { type Receipt, RECEIPT_ALGORITHM, RECEIPT_TYPE } from '../../shared/receipt.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { keyIdOf } from '../channel/open-request.ts'
import { type P256Key, privateKeyOf } from '../keys/p256-key.ts'
import { Recent } from '../keys/recent.ts'
import { es256 } from './es256.ts'

/** Accounts whose chain is remembered, of some 300 bytes each; one that is forgotten begins a new series. */
const CHAINS_MAX = 16_384

/** An execution that ran, as far as its outcome does not say. */
export type ExecutedRun = {
  accountHash: string
  /** JSON text, as it was run. */
  params: string
  runId?: string | undefined
}

type Chain = { series: string; sequence: number; previous?: string }

export type ReceiptSignerOptions = {
  key: P256Key
  /** Lower-case hex of 32 bytes, of the application that this process is. */
  composeHash: string
  now: () => number
  random?: (bytes: number) => Buffer
}

/**
 * Signs what this process has executed: a chain for each account, in the order in which its runs end. It is synchronous,
 * so that no two receipts follow the same one.
 */
export class ReceiptSigner {
  readonly #key: KeyObject
  /** The header is the same for every receipt. */
  readonly #header: string
  readonly #composeHash: string
  readonly #now: () => number
  readonly #random: (bytes: number) => Buffer
  readonly #chains: Recent<Chain>

  /** @throws {Error} for a compose hash that no verifier would take */
  constructor(options: ReceiptSignerOptions, chainsMax = CHAINS_MAX) {
    const { key, composeHash, now, random = randomBytes } = options
    if (!/^[0-9a-f]{64}$/.test(composeHash)) throw new Error('the compose hash is not 32 bytes')
    this.#key = privateKeyOf(key)
    const header = { alg: RECEIPT_ALGORITHM, kid: keyIdOf(key.publicKey), typ: RECEIPT_TYPE }
    this.#header = base64url(JSON.stringify(header))
    this.#composeHash = composeHash
    this.#now = now
    this.#random = random
    this.#chains = new Recent(chainsMax)
  }

  /** The outcome with its receipt, which is the next of the account's chain from now on. */
  signed(run: ExecutedRun, outcome: Outcome): Outcome {
    const chain = this.#chains.get(run.accountHash, () => this.#newChain())
    const sequence = chain.sequence + 1
    const receipt = this.#sign({
      v: 1,
      action_cid: outcome.action_cid,
      params_sha256: sha256(run.params),
      ...(outcome.status === 'success'
        ? { response_sha256: sha256(JSON.stringify(outcome.response)), status: outcome.status }
        : { status: outcome.status, error_code: outcome.code }),
      account_hash: run.accountHash,
      ...(run.runId !== undefined && { run_id: run.runId }),
      finished_at: new Date(this.#now()).toISOString(),
      duration_ms: outcome.duration_ms,
      charged_cents: outcome.charged_cents,
      compose_hash: this.#composeHash,
      series: chain.series,
      sequence,
      ...(chain.previous !== undefined && { previous_sha256: chain.previous }),
    })
    chain.sequence = sequence
    chain.previous = sha256(receipt)
    return { ...outcome, receipt }
  }

  #sign(payload: Receipt): string {
    const text = `${this.#header}.${base64url(JSON.stringify(payload))}`
    return `${text}.${es256(this.#key, text).toString('base64url')}`
  }

  #newChain(): Chain {
    return { series: this.#random(16).toString('base64url'), sequence: 0 }
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function sha256(text: string): string {
  return hash('sha256', text)
}
