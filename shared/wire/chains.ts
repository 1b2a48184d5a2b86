/** `GET /api/chains` */
import { z } from 'zod'
import { timeText } from './text.ts'

/** Identified by its index in the configuration, because its URL may contain a key. */
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
  /** Blocks below the head at which a block counts as final by default. */
  finality: z.int(),
  poll_ms: z.int(),
  /**
   * False while no trigger uses the chain; the figures are then the last known ones. Null if the chain's watcher does
   * not respond; all figures are then null too.
   */
  watching: z.boolean().nullable(),
  /** Highest block that a node has reported; null before the first response. */
  head: z.int().nullable(),
  head_at: timeText.nullable(),
  head_age_s: z.number().nullable(),
  /** Watermark: last block from which the logs have been read. `lag_blocks` is its distance to the head. */
  looked_through: z.int().nullable(),
  lag_blocks: z.int().nullable(),
  safe: z.int().nullable(),
  finalized: z.int().nullable(),
  /** Last response from any node of the chain. */
  answered_at: timeText.nullable(),
  rpc: z.array(chainEndpoint),
})
export type ChainRecord = z.infer<typeof chainRecord>

export const chainsResponse = z.object({ chains: z.array(chainRecord) })
export type ChainsResponse = z.infer<typeof chainsResponse>
