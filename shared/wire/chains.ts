/** `GET /api/chains`: the chains that triggers can watch here, and how they are. */
import { z } from 'zod'

const time = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' })

/** A node of a chain: by its place in the configuration; its URL may hold a key. */
export const chainEndpoint = z.object({
  endpoint: z.int(),
  state: z.enum(['healthy', 'lagging', 'failing', 'wrong_chain', 'unknown']),
  head: z.int().nullable(),
  latency_ms: z.number().nullable(),
  last_failure: z.string().nullable(),
})

export const chainRecord = z.object({
  chain: z.string(),
  chain_id: z.int(),
  /** Blocks below the head at which a block is final, where a trigger does not say. */
  finality: z.int(),
  poll_ms: z.int(),
  /**
   * False while no trigger needs it: nothing is asked of it then, and the figures are the last ones. Null where its watcher
   * does not answer; all that it would say is null then.
   */
  watching: z.boolean().nullable(),
  /** The highest block seen; null before the first answer. */
  head: z.int().nullable(),
  head_at: time.nullable(),
  /** Seconds since that block. */
  head_age_s: z.number().nullable(),
  /** Blocks up to which logs were looked for, and how many are between it and the head. */
  looked_through: z.int().nullable(),
  lag_blocks: z.int().nullable(),
  safe: z.int().nullable(),
  finalized: z.int().nullable(),
  /** When a node last answered. */
  answered_at: time.nullable(),
  rpc: z.array(chainEndpoint),
})
export type ChainRecord = z.infer<typeof chainRecord>

export const chainsResponse = z.object({ chains: z.array(chainRecord) })
export type ChainsResponse = z.infer<typeof chainsResponse>
