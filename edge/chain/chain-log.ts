/**
 * A log of a block, checked for its shape. Hex is lower case. It crosses objects and is kept as JSON.
 */
export type ChainLog = {
  address: string
  /** 1 to 4 of 32 bytes; the first is the event's. Logs without any are nobody's. */
  topics: string[]
  data: string
  blockNumber: number
  blockHash: string
  /** Unix seconds. */
  blockTimestamp: number
  transactionHash: string
  transactionIndex: number
  /** In its block. */
  logIndex: number
  /**
   * How many logs of the same transaction, address, topics and data are before it. With those it says which event this
   * is, wherever a reorganisation puts its transaction.
   */
  ordinal: number
}

/** A place in the chain: the log of this index in this block, or what comes before it. */
export type Position = { block: number; logIndex: number }
