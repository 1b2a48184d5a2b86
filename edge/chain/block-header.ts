export type BlockHeader = {
  number: number
  /** Block hash: 32 bytes as lower-case 0x hex, like all hex values of this type. */
  hash: string
  parentHash: string
  /** Block time, in Unix seconds. */
  timestamp: number
  /** Bloom filter of the block's logs, 256 bytes. */
  logsBloom: string
}

/**
 * Head of the chain as reported by an endpoint. The `safe` and `finalized` blocks are absent if they were not
 * requested. They are null if no available endpoint serves the tag or the chain has no such block yet.
 */
export type Tip = {
  latest: BlockHeader
  safe?: BlockHeader | null
  finalized?: BlockHeader | null
}
