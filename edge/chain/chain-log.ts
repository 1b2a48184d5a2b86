/**
 * A validated event log with details of its block. Hex values are lower case. Sent between Durable Objects and stored
 * as JSON.
 */
export type ChainLog = {
  address: string
  /** One to four topics of 32 bytes each. The first topic identifies the event. Logs without topics are dropped. */
  topics: string[]
  data: string
  blockNumber: number
  blockHash: string
  /** Time of the block, in Unix seconds. */
  blockTimestamp: number
  transactionHash: string
  transactionIndex: number
  /** Index of the log within its block. */
  logIndex: number
  /**
   * Number of earlier logs with the same transaction, address, topics and data. Together with those fields, it
   * identifies the event, even if a reorganization moves the transaction to another block.
   */
  ordinal: number
}

/** A position in the sequence of a chain's logs: just before the log with this block number and index. */
export type Position = { block: number; logIndex: number }
