import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonRpcApiProvider, TransactionReceipt } from 'ethers'
import { NoAgreementError } from '../nodes/chain-nodes.ts'
import type { GasPayer } from './gas-payer.ts'
import type { LiveWrite } from './live-write.ts'

/** Minimum and maximum poll interval. The minimum is used on a chain that mines instantly. */
const POLL_MIN_MS = 20
const POLL_MAX_MS = 500

/**
 * The poll interval is the mean wait for a receipt divided by this number, which limits the delay until a receipt is
 * found.
 */
const BLOCK_TIME_DIVISOR = 10

const MEAN_WEIGHT = 0.2

type ReceiptPollerOptions = {
  provider: JsonRpcApiProvider
  payers: () => Iterable<GasPayer>
  onMined: (write: LiveWrite) => void
}

/**
 * Polls for receipts as long as any transaction is unmined. One request per payer, for the transaction count, shows
 * which transactions are mined. Only the receipts of mined transactions are requested.
 */
export class ReceiptPoller {
  readonly #options: ReceiptPollerOptions
  #polling: Promise<void> | undefined
  #closed = false
  #meanWaitMs = 0

  constructor(options: ReceiptPollerOptions) {
    this.#options = options
  }

  ensurePolling(): void {
    if (this.#closed) return
    this.#polling ??= this.#pollLoop().finally(() => (this.#polling = undefined))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#polling
  }

  async #pollLoop(): Promise<void> {
    for (;;) {
      const payers = [...this.#options.payers()].filter((payer) => payer.sent.length > 0)
      if (this.#closed || payers.length === 0) return
      const succeeded = await Promise.all(payers.map((payer) => this.#pollPayer(payer)))
      await sleep(succeeded.every(Boolean) ? this.#pollIntervalMs() : POLL_MAX_MS)
    }
  }

  async #pollPayer(payer: GasPayer): Promise<boolean> {
    const { provider } = this.#options
    try {
      payer.count = await provider.getTransactionCount(payer.address, 'latest')
      const { count } = payer
      const due = payer.sent.filter((write) => write.nonce < count)
      await Promise.all(due.map((write) => this.#find(write)))
      return true
    } catch {
      // Errors are ignored, because the next poll tries again and callers have their own timeouts.
      return false
    }
  }

  async #find(write: LiveWrite): Promise<void> {
    const receipt = await findReceipt(this.#options.provider, write.hashes)
    if (!receipt || receipt === 'unclear' || write.receipt) return
    write.receipt = receipt
    const waited = performance.now() - write.sentAt
    if (Number.isFinite(waited)) this.#meanWaitMs += MEAN_WEIGHT * (waited - this.#meanWaitMs)
    write.notifyChanged()
    this.#options.onMined(write)
  }

  #pollIntervalMs(): number {
    return Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, this.#meanWaitMs / BLOCK_TIME_DIVISOR))
  }
}

/**
 * If no receipt is found, requests the receipts a second time: if a load balancer alternates between two nodes, a
 * single request might always reach the lagging node.
 * @returns `unclear` if only some nodes have a receipt, because the others lag or one of them lies
 */
export async function findReceipt(
  provider: JsonRpcApiProvider,
  hashes: readonly string[],
): Promise<TransactionReceipt | undefined | 'unclear'> {
  try {
    for (let asked = 0; asked < 2; asked++) {
      const receipts = await Promise.all(hashes.map((hash) => provider.getTransactionReceipt(hash)))
      const found = receipts.find((receipt) => receipt !== null)
      if (found) return found
    }
    return undefined
  } catch (error) {
    if (error instanceof NoAgreementError) return 'unclear'
    throw error
  }
}
