/** A log with its block, validated. Hex is lower case. Sent between Durable Objects and stored as JSON. */
export type ChainLog = {
  address: string
  /** 1 to 4 topics of 32 bytes. The first identifies the event. Logs without topics are dropped. */
  topics: string[]
  data: string
  blockNumber: number
  blockHash: string
  /** Unix seconds. */
  blockTimestamp: number
  transactionHash: string
  transactionIndex: number
  /** Index within the block. */
  logIndex: number
  /**
   * Number of earlier logs in the same transaction with the same address, topics and data. Together with these fields
   * it identifies the event, even if a reorganization moves the transaction to another block.
   */
  ordinal: number
}

/** A position in the chain: the log with this index, or the point just before it. */
export type Position = { block: number; logIndex: number }
