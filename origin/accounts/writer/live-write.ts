import { Transaction, type TransactionReceipt } from 'ethers'
import type { WriteRow } from './write-outbox.ts'

/** A write that is not final yet. Invariant: each transaction is in the outbox before it is sent to a node. */
export class LiveWrite {
  readonly writeId: string
  readonly functionName: string
  nonce: number
  /** Signed transactions of the write. The last one is current, but any of them may be mined. */
  transactions: Transaction[]
  /** Receipt of the write. Undefined if the write is not known to be in a block. */
  receipt: TransactionReceipt | undefined
  /** Time at which the current transaction was last sent, in `performance.now()` milliseconds. */
  sentAt = Number.NEGATIVE_INFINITY
  /** Time at which the current transaction was signed or read from the outbox, in `performance.now()` milliseconds. */
  signedAt = performance.now()
  /** Consecutive checks at which the nonce was permanently used, but none of the transactions was in a block. */
  nonceUsedChecks = 0
  isUnderpriced = false
  /**
   * When the current transaction was first seen to be the payer's next one on the chain: `performance.now()`
   * milliseconds, and the number of the head. Undefined before that.
   */
  nextSince: { at: number; block: number } | undefined
  readonly #listeners = new Set<() => void>()

  constructor(
    row: Pick<WriteRow, 'writeId' | 'functionName' | 'nonce'>,
    transactions: Transaction[],
  ) {
    this.writeId = row.writeId
    this.functionName = row.functionName
    this.nonce = row.nonce
    this.transactions = transactions
  }

  static fromRow(row: WriteRow): LiveWrite {
    return new LiveWrite(
      row,
      row.transactions.map((raw) => Transaction.from(raw)),
    )
  }

  get current(): Transaction {
    return this.transactions.at(-1)!
  }

  get hashes(): string[] {
    return this.transactions.map(({ hash }) => hash!)
  }

  /** Maximum cost of the current transaction, in wei. */
  get costMax(): bigint {
    const { gasLimit, maxFeePerGas, value } = this.current
    return gasLimit * (maxFeePerGas ?? 0n) + value
  }

  async waitForChange(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#listeners.delete(done)
        resolve()
      }
      const timer = setTimeout(done, withinMs)
      this.#listeners.add(done)
    })
  }

  /** Notifies waiters that the receipt was found or dropped, or that another process has taken over the write. */
  notifyChanged(): void {
    for (const resume of this.#listeners) resume()
  }
}
