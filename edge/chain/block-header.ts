export type BlockHeader = {
  number: number
  /** 32 bytes as lower-case 0x hex, like all hex in this type. */
  hash: string
  parentHash: string
  /** Unix seconds. */
  timestamp: number
  /** 256 bytes: a bloom filter over the block's logs. */
  logsBloom: string
}

/**
 * An endpoint's view of the chain at one moment. A tag is absent if it was not requested, and null if no available
 * endpoint serves it or the chain has no such block yet.
 */
export type Tip = {
  latest: BlockHeader
  safe?: BlockHeader | null
  finalized?: BlockHeader | null
}
