import { z } from 'zod'
import { timeText } from './text.ts'

/** A node of a chain, identified by its index in the configuration, because the node's URL may contain a key. */
const chainEndpoint = z.object({
  endpoint: z.int(),
  state: z.enum(['healthy', 'lagging', 'failing', 'wrong_chain', 'unknown']),
  head: z.int().nullable(),
  latency_ms: z.number().nullable(),
  last_failure: z.string().nullable(),
})

const chainRecord = z.object({
  chain: z.string(),
  chain_id: z.int(),
  /** Default number of blocks below the head at which a block counts as final. */
  finality: z.int(),
  poll_ms: z.int(),
  /**
   * False while no trigger uses the chain. The other values are then the last known ones. Null if the chain's watcher
   * does not respond. The other values are then null too.
   */
  watching: z.boolean().nullable(),
  /** Highest block that a node has reported. Null before the first response. */
  head: z.int().nullable(),
  head_at: timeText.nullable(),
  head_age_s: z.number().nullable(),
  /**
   * Watermark: the last block from which the logs have been read. `lag_blocks` is the watermark's distance to the head.
   */
  looked_through: z.int().nullable(),
  lag_blocks: z.int().nullable(),
  safe: z.int().nullable(),
  finalized: z.int().nullable(),
  /** Time of the last response from any node of the chain. */
  answered_at: timeText.nullable(),
  rpc: z.array(chainEndpoint),
})
export type ChainRecord = z.infer<typeof chainRecord>

export const chainsResponse = z.object({ chains: z.array(chainRecord) })
export type ChainsResponse = z.infer<typeof chainsResponse>
