import { Transaction, type TransactionReceipt } from 'ethers'
import type { WriteRow } from './outbox.ts'

/**
 * A write that is not final yet, in the process that holds its payer. Invariant: each of its transactions stands
 * in the outbox before a node has heard of it.
 */
export class LiveWrite {
  readonly writeId: string
  readonly functionName: string
  nonce: number
  /** Signed; the last one is current. Whichever is mined counts. */
  transactions: Transaction[]
  /** Where it is in the chain, as far as is known; undefined while it is in no block. */
  receipt: TransactionReceipt | undefined
  /** When the current transaction was last given to a node, by this process' own clock. */
  sentAt = Number.NEGATIVE_INFINITY
  /** When it was signed, or read from the outbox. */
  signedAt = performance.now()
  /** Looks in a row at which its nonce was used up for good, and none of its transactions in a block. */
  looksWithoutNonce = 0
  /** The node refuses the current transaction for its fees. */
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

  /** The most that the current transaction can cost, in wei. */
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

  /** Its receipt has come or gone, or another process settles it now: who waits should look again. */
  changed(): void {
    for (const resume of this.#waiting) resume()
  }
}
