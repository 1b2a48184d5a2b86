/** `POST /api/triggers/preview`: shows what a trigger would do before it is created. */
import { z } from 'zod'
import { paramsSchema } from './action-call.ts'
import { TRIGGER_KINDS, triggerOptions } from './trigger.ts'

/** The same fields as at creation, without those that a preview does not need. */
export const previewRequest = z.strictObject({
  kind: z.enum(TRIGGER_KINDS),
  config: z.record(z.string(), z.unknown()).default({}),
  default_params: paramsSchema.default({}),
  /** Chain events only, and only `finality`. */
  options: triggerOptions.default({}),
})
export type PreviewRequest = z.infer<typeof previewRequest>

export const triggerPreview = z.object({
  /** Schedules only: the next times, RFC 3339 in UTC. */
  next: z.array(z.string().meta({ format: 'date-time' })).exactOptional(),
  /** Schedules only: the shortest interval between two ticks, in seconds. */
  min_interval_s: z.int().exactOptional(),
  /** Chain events only: the signature in the form that is hashed, and its hash. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events only: the latest matching logs, newest first, each in the form of the `event` param. */
  logs: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  /** Chain events only: the range of blocks that was searched, inclusive. */
  searched: z.object({ from: z.int(), to: z.int() }).exactOptional(),
  /** Chain events only: likely mistakes, such as an address without code. */
  warnings: z.array(z.string()).exactOptional(),
  /** The params that an action would receive. For a chain event without a matching log, an example. */
  params: z.record(z.string(), z.unknown()),
})
export type TriggerPreview = z.infer<typeof triggerPreview>
