export type BlockHeader = {
  number: number
  /** 32 bytes as lower-case 0x hex, like all hex values of this type. */
  hash: string
  parentHash: string
  /** Unix seconds. */
  timestamp: number
  /** 256 bytes. */
  logsBloom: string
}

/**
 * `safe` and `finalized` are absent if they were not requested, and null if no available endpoint serves the tag or the
 * chain has no such block yet.
 */
export type Tip = {
  latest: BlockHeader
  safe?: BlockHeader | null
  finalized?: BlockHeader | null
}
