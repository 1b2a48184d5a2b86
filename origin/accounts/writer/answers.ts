import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonRpcProvider, Transaction, type TransactionReceipt } from 'ethers'
import { ChainUnavailable } from '../chain.ts'
import type { Outbox } from './outbox.ts'
import type { PayerLanes } from './payer-lanes.ts'
import { findReceipt } from './receipts.ts'
import { revertReason } from './simulate.ts'

/** A write that is in no block for this long is answered as unknown; it is settled all the same. */
export const RECEIPT_WAIT_MS = 60_000

/** A write that another process settles is looked up this often. */
const JOIN_POLL_MS = 100

/** A mirror that waits for a block which the chain has given up would wait for long. */
const STAND_POLL_MS = 250

/** Whoever waits looks again after this, told or not: the payer may be another process' by now. */
const LOOK_MS = 1_000

export type AnswersOptions = {
  provider: JsonRpcProvider
  outbox: Outbox
  payers: PayerLanes
  mirror: { syncTo(block: number, hash?: string): Promise<void> }
  waitMs: number
  afterMined: (block: number) => Promise<void>
  /** A receipt did not stand. */
  lookAgain: () => void
}

type Mined = { receipt: TransactionReceipt; data: string }

/** What becomes of a recorded write, whichever process sends it. */
export class Answers {
  readonly #options: AnswersOptions
  /** The highest block that a write was answered from. */
  seenBlock = 0

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /**
   * Waits until the write is in a block that stands, and in the mirror.
   * @throws {ContractRefused} where it was reverted
   * @throws {ChainUnavailable} where it is in no block in time
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

  /** False where the block was given up before the mirror had it. @throws {ChainUnavailable} */
  async #mirrored(receipt: TransactionReceipt): Promise<boolean> {
    const { blockNumber, blockHash } = receipt
    const synced = this.#options.mirror.syncTo(blockNumber, blockHash).then(() => true)
    synced.catch(() => {})
    while (!(await Promise.race([synced, sleep(STAND_POLL_MS, false)])))
      if (!(await this.#stands(receipt))) return false
    return true
  }

  /** False where the chain has given the block up, or its nodes do not know of it. */
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
