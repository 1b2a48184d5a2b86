import { findReceipt } from '../accounts/writer/receipt-poller.ts'
import type { Head, HeadChange } from './head-tracker.ts'
import { ACCOUNT_MAX_AGE_MS } from './lane-context.ts'
import type { LaneState } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'
import { revertAt } from './simulation.ts'

/** Finds out which transactions of a lane are in blocks, and which of these blocks are final. */
export class Settlement {
  readonly #lane: LaneState

  constructor(lane: LaneState) {
    this.#lane = lane
  }

  /**
   * Marks the transactions whose receipts must be read.
   * @param included hashes of the transactions in the head
   */
  onHead({ isSkipping, forkedAbove }: HeadChange, included: ReadonlySet<string>): void {
    const lane = this.#lane
    for (const transaction of lane.all()) {
      const { minedBlock } = transaction.progress
      if (minedBlock !== null) {
        if (forkedAbove !== undefined && minedBlock > forkedAbove) transaction.needsReceipt = true
      } else if (transaction.attempts.some(({ hash }) => included.has(hash)))
        transaction.needsReceipt = true
    }
    if (isSkipping) lane.needsCount = true
    if (forkedAbove !== undefined) lane.account.forget()
  }

  /** @throws if the nodes do not respond */
  async advance(): Promise<void> {
    const lane = this.#lane
    const { heads } = lane.context
    await this.#readCount(lane.unmined())
    const due = [...lane.all()].filter(
      (one) => one.needsReceipt && one.attempts.length > 0 && !one.progress.hasEnded,
    )
    await Promise.all(due.map((transaction) => this.#readReceipt(transaction)))
    if (heads.head) await this.#finalize(heads.head)
  }

  /** One request shows which of many transactions may be mined. */
  async #readCount(unmined: readonly LiveTransaction[]): Promise<void> {
    const lane = this.#lane
    const age = lane.context.monotonic() - lane.account.readAt
    if (unmined.length === 0 || (!lane.needsCount && age <= ACCOUNT_MAX_AGE_MS)) return
    lane.needsCount = false
    try {
      const { count } = await lane.readAccount(0)
      for (const transaction of unmined)
        if (transaction.nonce < count) transaction.needsReceipt = true
    } catch (error) {
      lane.needsCount = true
      throw error
    }
  }

  async #readReceipt(transaction: LiveTransaction): Promise<void> {
    const lane = this.#lane
    const { provider } = lane.context.chain
    // A new head may require another read in the meantime.
    transaction.needsReceipt = false
    const receipt = await findReceipt(provider, transaction.hashes).catch((error: unknown) => {
      transaction.needsReceipt = true
      throw error
    })
    if (receipt === 'unclear') {
      transaction.needsReceipt = true
      return
    }
    if (!receipt) {
      if (!transaction.isMined) return
      transaction.setUnmined()
      lane.save(transaction)
      return
    }
    const isReverted = receipt.status !== 1
    const reason = isReverted ? await this.#revertOf(transaction, receipt.blockNumber) : undefined
    transaction.setMined(receipt, reason)
    lane.account.spend(transaction.nonce, receipt.fee + (isReverted ? 0n : transaction.row.value))
    lane.save(transaction)
  }

  /** The state before the block is the best approximation of the state before the transaction. */
  async #revertOf(transaction: LiveTransaction, block: number): Promise<string | undefined> {
    const { provider } = this.#lane.context.chain
    for (const number of [Math.max(0, block - 1), block]) {
      const reason = await revertAt(provider, transaction.call, number).catch(() => undefined)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  async #finalize(head: Head): Promise<void> {
    const lane = this.#lane
    const { chain, heads } = lane.context
    const finalBlock = head.number - chain.finality
    const due = [...lane.all()].filter(
      ({ progress, needsReceipt }) =>
        progress.minedBlock !== null &&
        progress.minedBlock <= finalBlock &&
        !needsReceipt &&
        !progress.hasEnded,
    )
    if (due.length === 0) return
    const hashes = await heads.canonicalHashes(due.map(({ progress }) => progress.minedBlock!))
    for (const transaction of due) {
      const { minedBlock, minedBlockHash, state } = transaction.progress
      const hash = hashes.get(minedBlock!)
      if (hash === minedBlockHash) lane.end(transaction, state === 'mined' ? 'final' : state)
      else if (hash !== undefined) {
        transaction.needsReceipt = true
        lane.wake()
      }
    }
  }
}
