import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonRpcProvider, TransactionReceipt } from 'ethers'
import type { Lane } from './lane.ts'
import type { LiveWrite } from './live-write.ts'

/** The pace on a chain that mines at once, and the slowest on any. */
const PACE_MIN_MS = 20
const PACE_MAX_MS = 500

/** A look comes after a tenth of the time that blocks take: so much later than the block it is at most. */
const PACE_DIVISOR = 10

/** How much of the last wait goes into the mean of waits. */
const WAIT_WEIGHT = 0.2

export type ReceiptsOptions = {
  provider: JsonRpcProvider
  lanes: () => Iterable<Lane>
  onMined: (write: LiveWrite) => void
}

/**
 * Looks for the receipts of all that was sent, as long as there is something: one count a payer tells which of
 * its transactions are in blocks, and only their receipts are asked for.
 */
export class Receipts {
  readonly #options: ReceiptsOptions
  #looking: Promise<void> | undefined
  #closed = false
  #meanWaitMs = 0

  constructor(options: ReceiptsOptions) {
    this.#options = options
  }

  /** Something was sent. */
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
      // The next look may find it; who waits has a time-out of his own.
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
 * The receipt of whichever of a write's transactions is in the chain. Where there is none, a second request is
 * made: two nodes in turn behind a balancer would have the one that lags answer every time otherwise.
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
