import { Transaction, type TransactionReceipt } from 'ethers'
import type { WriteRow } from './outbox.ts'

/**
 * A write that is not final yet, in the process that holds its payer. Invariant: each transaction of the write is in
 * the outbox before it is sent to a node.
 */
export class LiveWrite {
  readonly writeId: string
  readonly functionName: string
  nonce: number
  /** Signed transactions of the write. The last one is the current one, but any of them may be mined. */
  transactions: Transaction[]
  /** Receipt of the write. Undefined if the write is not known to be in a block. */
  receipt: TransactionReceipt | undefined
  /** Time at which the current transaction was last sent to a node, in `performance.now()` milliseconds. */
  sentAt = Number.NEGATIVE_INFINITY
  /** Time at which the current transaction was signed or read from the outbox, in `performance.now()` milliseconds. */
  signedAt = performance.now()
  /**
   * Number of consecutive checks at which the write's nonce was permanently used, but none of its transactions was in a
   * block.
   */
  looksWithoutNonce = 0
  /** True if the node rejects the current transaction because its fees are too low. */
  underpriced = false
  readonly #waiting = new Set<() => void>()

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

  /** Waits for the next call of `changed()`, or until the timeout. */
  async change(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, withinMs)
      this.#waiting.add(done)
    })
  }

  /**
   * Wakes all callers that wait for a change. Called if the receipt was found or dropped, or if another process has
   * taken over the write.
   */
  changed(): void {
    for (const resume of this.#waiting) resume()
  }
}
