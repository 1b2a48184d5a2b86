import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonRpcProvider, Transaction, type TransactionReceipt } from 'ethers'
import { ChainUnavailable } from '../chain.ts'
import type { Outbox } from './outbox.ts'
import type { PayerLanes } from './payer-lanes.ts'
import { findReceipt } from './receipts.ts'
import { revertReason } from './simulate.ts'

/** After this, the response reports an unknown outcome, but the write continues to be settled. */
export const RECEIPT_WAIT_MS = 60_000

/** Poll interval for a write that is settled by another process. */
const JOIN_POLL_MS = 100

/** While the mirror syncs to a receipt's block, the block may be reorganized away. */
const STAND_POLL_MS = 250

/** A write is looked up again after this time, because another process may hold the payer by then. */
const LOOK_MS = 1_000

export type AnswersOptions = {
  provider: JsonRpcProvider
  outbox: Outbox
  payers: PayerLanes
  mirror: { syncTo(block: number, hash?: string): Promise<void> }
  waitMs: number
  afterMined: (block: number) => Promise<void>
  /** Called if the block of a receipt was reorganized away, so that the receipt must be searched for again. */
  lookAgain: () => void
}

type Mined = { receipt: TransactionReceipt; data: string }

/** Works whichever process sends the write. */
export class Answers {
  readonly #options: AnswersOptions
  seenBlock = 0

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /**
   * Waits until a write is in a canonical block and in the mirror.
   * @throws {ContractRefused} if the write reverted
   * @throws {ChainUnavailable} if the write is not mined in time
   */
  async answer(writeId: string): Promise<TransactionReceipt> {
    const { provider, payers, afterMined, lookAgain, waitMs } = this.#options
    const deadline = performance.now() + waitMs
    while (performance.now() < deadline) {
      const { receipt, data } = await this.#mined(writeId, deadline)
      if (receipt.status !== 1) throw await revertReason(provider, receipt, data)
      this.seenBlock = Math.max(this.seenBlock, receipt.blockNumber)
      if (await this.#mirrored(receipt)) {
        await afterMined(receipt.blockNumber)
        return receipt
      }
      const live = payers.find(writeId)
      if (live?.receipt === receipt) live.receipt = undefined
      lookAgain()
      await sleep(JOIN_POLL_MS)
    }
    throw notYet()
  }

  async #mined(writeId: string, deadline: number): Promise<Mined> {
    const { payers, outbox } = this.#options
    for (let left = 1; left > 0; left = deadline - performance.now()) {
      const live = payers.find(writeId)
      if (live?.receipt) return { receipt: live.receipt, data: live.current.data }
      if (live) {
        await live.change(Math.min(left, LOOK_MS))
        continue
      }
      const row = await outbox.find(writeId)
      const transactions = row?.transactions.map((raw) => Transaction.from(raw)) ?? []
      const receipt = await this.#receiptOf(transactions.map(({ hash }) => hash!))
      if (receipt) return { receipt, data: transactions[0]!.data }
      await sleep(JOIN_POLL_MS)
    }
    throw notYet()
  }

  /**
   * False if the receipt's block is reorganized away before the mirror has applied it.
   * @throws {ChainUnavailable}
   */
  async #mirrored(receipt: TransactionReceipt): Promise<boolean> {
    const { blockNumber, blockHash } = receipt
    const synced = this.#options.mirror.syncTo(blockNumber, blockHash).then(() => true)
    synced.catch(() => {})
    while (!(await Promise.race([synced, sleep(STAND_POLL_MS, false)])))
      if (!(await this.#stands(receipt))) return false
    return true
  }

  /** False if the receipt's block was reorganized away, or the node does not have it. */
  async #stands(receipt: TransactionReceipt): Promise<boolean> {
    return (await this.#receiptOf([receipt.hash]))?.blockHash === receipt.blockHash
  }

  async #receiptOf(hashes: readonly string[]): Promise<TransactionReceipt | undefined> {
    return findReceipt(this.#options.provider, hashes).catch(() => undefined)
  }
}

function notYet(): ChainUnavailable {
  return new ChainUnavailable(
    'the write has not been mined yet but may still succeed; if the operation accepts an Idempotency-Key, retry with the same key to get its result',
  )
}
