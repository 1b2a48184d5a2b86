/**
 * A validated log with lower-case hex values, or the mark of a block (`block-mark.ts`) or of a transaction
 * (`transaction-mark.ts`). Logs are sent between Durable Objects and stored as JSON.
 */
export type ChainLog = {
  address: string
  /** One to four topics of 32 bytes each. The first identifies the event. Logs without topics are dropped. */
  topics: string[]
  data: string
  blockNumber: number
  blockHash: string
  /** Block timestamp in Unix seconds. */
  blockTimestamp: number
  transactionHash: string
  transactionIndex: number
  logIndex: number
  /**
   * Number of earlier logs with the same transaction, address, topics and data. Together, these fields identify the
   * event, even if a reorganization moves the transaction to another block.
   */
  ordinal: number
  /** Marks of transactions only. `value` is in wei, as decimal digits. */
  transaction?: { from: string; to: string | null; value: string; gasUsed: number }
}

/** Position in the chain, just before the log with this block number and index. */
export type LogPosition = { block: number; logIndex: number }

export function positionOf({ blockNumber, logIndex }: ChainLog): LogPosition {
  return { block: blockNumber, logIndex }
}

export function comparePositions(a: LogPosition, b: LogPosition): number {
  return a.block - b.block || a.logIndex - b.logIndex
}

type LogOrder = Pick<ChainLog, 'blockNumber' | 'logIndex'>

export function compareLogs(a: LogOrder, b: LogOrder): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
