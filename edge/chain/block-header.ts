/** What the watcher knows of a block. */
export type BlockHeader = {
  number: number
  /** 32 bytes, lower-case 0x hex, as all hex here. */
  hash: string
  parentHash: string
  /** Unix seconds. */
  timestamp: number
  /** 256 bytes: what the block's logs can be about. */
  logsBloom: string
}

/**
 * What an endpoint says of the chain at one moment. Absent: not asked for. `null`: no endpoint that can be asked serves
 * this tag, or has such a block yet.
 */
export type Tip = {
  latest: BlockHeader
  safe?: BlockHeader | null
  finalized?: BlockHeader | null
}
