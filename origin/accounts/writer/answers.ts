import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonRpcProvider, Transaction, type TransactionReceipt } from 'ethers'
import { ChainUnavailable } from '../chain.ts'
import type { Outbox } from './outbox.ts'
import type { PayerLanes } from './payer-lanes.ts'
import { findReceipt } from './receipts.ts'
import { revertReason } from './simulate.ts'

/** A write that is not mined within this time gets a response with an unknown outcome, but is still settled. */
export const RECEIPT_WAIT_MS = 60_000

/** Poll interval for a write that another process settles. */
const JOIN_POLL_MS = 100

/** Interval at which a block is checked while the mirror syncs to it: it may be reorganized away in the meantime. */
const STAND_POLL_MS = 250

/** Maximum wait for a change before polling again; the payer may belong to another process by then. */
const LOOK_MS = 1_000

export type AnswersOptions = {
  provider: JsonRpcProvider
  outbox: Outbox
  payers: PayerLanes
  mirror: { syncTo(block: number, hash?: string): Promise<void> }
  waitMs: number
  afterMined: (block: number) => Promise<void>
  /** Called if a receipt's block was reorganized away. */
  lookAgain: () => void
}

type Mined = { receipt: TransactionReceipt; data: string }

/** Waits for the outcome of a recorded write, whichever process sends it. */
export class Answers {
  readonly #options: AnswersOptions
  /** The highest block of a write that was returned. */
  seenBlock = 0

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /**
   * Waits until the write is in a canonical block and in the mirror.
   * @throws {ContractRefused} if it reverted
   * @throws {ChainUnavailable} if it is not mined in time
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

  /** Returns false if the block was reorganized away before the mirror reached it. @throws {ChainUnavailable} */
  async #mirrored(receipt: TransactionReceipt): Promise<boolean> {
    const { blockNumber, blockHash } = receipt
    const synced = this.#options.mirror.syncTo(blockNumber, blockHash).then(() => true)
    synced.catch(() => {})
    while (!(await Promise.race([synced, sleep(STAND_POLL_MS, false)])))
      if (!(await this.#stands(receipt))) return false
    return true
  }

  /** Returns false if the block was reorganized away or the node does not have it. */
  async #stands(receipt: TransactionReceipt): Promise<boolean> {
    return (await this.#receiptOf([receipt.hash]))?.blockHash === receipt.blockHash
  }

  async #receiptOf(hashes: readonly string[]): Promise<TransactionReceipt | undefined> {
    return findReceipt(this.#options.provider, hashes).catch(() => undefined)
  }
}

function notYet(): ChainUnavailable {
  return new ChainUnavailable(
    'the write is in no block yet and may still happen; where the operation takes an Idempotency-Key, a repeat with the same key joins it',
  )
}
