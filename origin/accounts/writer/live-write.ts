import { Transaction, type TransactionReceipt } from 'ethers'
import type { WriteRow } from './outbox.ts'

/**
 * A write that is not final yet, in the process that holds its payer. Invariant: each of its transactions is in the
 * outbox before it is sent to a node.
 */
export class LiveWrite {
  readonly writeId: string
  readonly functionName: string
  nonce: number
  /** Signed transactions. The last one is current, but any of them may be mined. */
  transactions: Transaction[]
  /** The receipt, if the write is known to be in a block. */
  receipt: TransactionReceipt | undefined
  /** When the current transaction was last sent to a node, in `performance.now()` milliseconds. */
  sentAt = Number.NEGATIVE_INFINITY
  /** When it was signed, or read from the outbox. */
  signedAt = performance.now()
  /** Consecutive checks at which its nonce was permanently used, but none of its transactions was in a block. */
  looksWithoutNonce = 0
  /** The node rejects the current transaction because its fees are too low. */
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

  /** The maximum cost of the current transaction, in wei. */
  get costMax(): bigint {
    const { gasLimit, maxFeePerGas, value } = this.current
    return gasLimit * (maxFeePerGas ?? 0n) + value
  }

  /** Resolves at the next `changed()`, or after the given time. */
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

  /** Wakes the waiters after the receipt was found or dropped, or another process took over the write. */
  changed(): void {
    for (const resume of this.#waiting) resume()
  }
}
