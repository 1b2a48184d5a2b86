export type BlockHeader = {
  number: number
  /** Block hash: 32 bytes as lower-case 0x hex, like all hex values of this type. */
  hash: string
  parentHash: string
  /** Block timestamp in Unix seconds. */
  timestamp: number
  /** Bloom filter of the block's logs, 256 bytes. */
  logsBloom: string
}

/**
 * Newest blocks that a node reports. `safe` and `finalized` are absent if they were not requested. They are null if no
 * available endpoint serves the tag, or if the chain has no such block yet.
 */
export type Tip = {
  latest: BlockHeader
  safe?: BlockHeader | null
  finalized?: BlockHeader | null
}
