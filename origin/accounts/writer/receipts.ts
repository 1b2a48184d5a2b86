import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonRpcProvider, TransactionReceipt } from 'ethers'
import type { Lane } from './lane.ts'
import type { LiveWrite } from './live-write.ts'

/** Poll intervals. The minimum is used on a chain that mines instantly. */
const PACE_MIN_MS = 20
const PACE_MAX_MS = 500

/** Poll interval as a part of the block time, which limits the delay until a receipt is found. */
const PACE_DIVISOR = 10

const WAIT_WEIGHT = 0.2

export type ReceiptsOptions = {
  provider: JsonRpcProvider
  lanes: () => Iterable<Lane>
  onMined: (write: LiveWrite) => void
}

/**
 * Polls as long as there are unmined transactions. One request per payer, for the transaction count, shows which ones
 * are mined. Only the receipts of those are requested.
 */
export class Receipts {
  readonly #options: ReceiptsOptions
  #looking: Promise<void> | undefined
  #closed = false
  #meanWaitMs = 0

  constructor(options: ReceiptsOptions) {
    this.#options = options
  }

  watch(): void {
    if (this.#closed) return
    this.#looking ??= this.#follow().finally(() => (this.#looking = undefined))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#looking
  }

  async #follow(): Promise<void> {
    for (;;) {
      const lanes = [...this.#options.lanes()].filter((lane) => lane.sent.length > 0)
      if (this.#closed || lanes.length === 0) return
      const well = await Promise.all(lanes.map((lane) => this.#look(lane)))
      await sleep(well.every(Boolean) ? this.#paceMs() : PACE_MAX_MS)
    }
  }

  async #look(lane: Lane): Promise<boolean> {
    const { provider } = this.#options
    try {
      lane.count = await provider.getTransactionCount(lane.address, 'latest')
      const { count } = lane
      const due = lane.sent.filter((write) => write.nonce < count)
      await Promise.all(due.map((write) => this.#find(write)))
      return true
    } catch {
      // The next poll tries again, and callers have their own timeouts.
      return false
    }
  }

  async #find(write: LiveWrite): Promise<void> {
    const receipt = await findReceipt(this.#options.provider, write.hashes)
    if (!receipt || write.receipt) return
    write.receipt = receipt
    const waited = performance.now() - write.sentAt
    if (Number.isFinite(waited)) this.#meanWaitMs += WAIT_WEIGHT * (waited - this.#meanWaitMs)
    write.changed()
    this.#options.onMined(write)
  }

  #paceMs(): number {
    return Math.min(PACE_MAX_MS, Math.max(PACE_MIN_MS, this.#meanWaitMs / PACE_DIVISOR))
  }
}

/**
 * Receipt of whichever transaction was mined. Requested a second time if not found: if a load balancer alternates
 * between two nodes, a single request might always reach the lagging node.
 */
export async function findReceipt(
  provider: JsonRpcProvider,
  hashes: readonly string[],
): Promise<TransactionReceipt | undefined> {
  for (let asked = 0; asked < 2; asked++) {
    const receipts = await Promise.all(hashes.map((hash) => provider.getTransactionReceipt(hash)))
    const found = receipts.find((receipt) => receipt !== null)
    if (found) return found
  }
  return undefined
}
