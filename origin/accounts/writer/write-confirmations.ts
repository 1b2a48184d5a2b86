import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonRpcApiProvider, Transaction, type TransactionReceipt } from 'ethers'
import { ContractUnavailableError } from '../chain.ts'
import type { WriteOutbox } from './write-outbox.ts'
import type { PayerPool } from './payer-pool.ts'
import { findReceipt } from './receipt-poller.ts'
import { revertReason } from './simulate.ts'

/** After this time, the response reports an unknown outcome, but the write continues to be settled. */
export const RECEIPT_WAIT_MS = 60_000

/** Poll interval for a write that is settled by another process. */
const RECEIPT_POLL_MS = 100

/** The block of a receipt may be reorganized away while the mirror syncs to it. */
const CANONICAL_POLL_MS = 250

/** Interval at which a write is looked up again, because another process may have acquired its payer. */
const RECHECK_MS = 1_000

type WriteConfirmationsOptions = {
  provider: JsonRpcApiProvider
  outbox: WriteOutbox
  payers: PayerPool
  mirror: { syncTo(block: number, hash?: string): Promise<void> }
  waitMs: number
  afterMined: (block: number) => Promise<void>
  /**
   * Called if a reorganization removed the block that contained a receipt. The receipt must then be looked up again.
   */
  onReorganized: () => void
}

type MinedReceipt = { receipt: TransactionReceipt; data: string }

/** Waits for the confirmation of writes, regardless of which process sends them. */
export class WriteConfirmations {
  readonly #options: WriteConfirmationsOptions
  seenBlock = 0

  constructor(options: WriteConfirmationsOptions) {
    this.#options = options
  }

  /**
   * Waits until a write is in a canonical block and in the mirror.
   * @throws {ContractRevertError} if the write reverted
   * @throws {ContractUnavailableError} if the write is not mined in time
   */
  async wait(writeId: string): Promise<TransactionReceipt> {
    const { provider, payers, afterMined, onReorganized, waitMs } = this.#options
    const deadline = performance.now() + waitMs
    while (performance.now() < deadline) {
      const { receipt, data } = await this.#waitForReceipt(writeId, deadline)
      if (receipt.status !== 1) throw await revertReason(provider, receipt, data)
      this.seenBlock = Math.max(this.seenBlock, receipt.blockNumber)
      if (await this.#syncMirror(receipt)) {
        await afterMined(receipt.blockNumber)
        return receipt
      }
      const live = payers.find(writeId)
      if (live?.receipt === receipt) live.receipt = undefined
      onReorganized()
      await sleep(RECEIPT_POLL_MS)
    }
    throw notMinedError()
  }

  async #waitForReceipt(writeId: string, deadline: number): Promise<MinedReceipt> {
    const { payers, outbox } = this.#options
    for (let left = 1; left > 0; left = deadline - performance.now()) {
      const live = payers.find(writeId)
      if (live?.receipt) return { receipt: live.receipt, data: live.current.data }
      if (live) {
        await live.waitForChange(Math.min(left, RECHECK_MS))
        continue
      }
      const row = await outbox.find(writeId)
      const transactions = row?.transactions.map((raw) => Transaction.from(raw)) ?? []
      const receipt = await this.#findReceipt(transactions.map(({ hash }) => hash!))
      if (receipt) return { receipt, data: transactions[0]!.data }
      await sleep(RECEIPT_POLL_MS)
    }
    throw notMinedError()
  }

  /**
   * Returns false if the block is reorganized away first.
   * @throws {ContractUnavailableError}
   */
  async #syncMirror(receipt: TransactionReceipt): Promise<boolean> {
    const { blockNumber, blockHash } = receipt
    const synced = this.#options.mirror.syncTo(blockNumber, blockHash).then(() => true)
    synced.catch(() => {})
    while (!(await Promise.race([synced, sleep(CANONICAL_POLL_MS, false)])))
      if (!(await this.#isCanonical(receipt))) return false
    return true
  }

  /** Returns false if the receipt's block was reorganized away, or the node does not have it. */
  async #isCanonical(receipt: TransactionReceipt): Promise<boolean> {
    return (await this.#findReceipt([receipt.hash]))?.blockHash === receipt.blockHash
  }

  async #findReceipt(hashes: readonly string[]): Promise<TransactionReceipt | undefined> {
    const found = await findReceipt(this.#options.provider, hashes).catch(() => undefined)
    return found === 'unclear' ? undefined : found
  }
}

function notMinedError(): ContractUnavailableError {
  return new ContractUnavailableError(
    'the write has not been mined yet but may still succeed; if the operation accepts an Idempotency-Key, retry with the same key to get its result',
  )
}
