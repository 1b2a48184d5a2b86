/** `POST /api/triggers/preview`: what a trigger that is not made yet would do. */
import { z } from 'zod'
import { paramsSchema } from './action-call.ts'
import { TRIGGER_KINDS, triggerOptions } from './trigger.ts'

/** Fields as at creation; what a preview does not need is unknown to it. */
export const previewRequest = z.strictObject({
  kind: z.enum(TRIGGER_KINDS),
  config: z.record(z.string(), z.unknown()).default({}),
  default_params: paramsSchema.default({}),
  /** Chain events: `finality` alone. */
  options: triggerOptions.default({}),
})
export type PreviewRequest = z.infer<typeof previewRequest>

export const triggerPreview = z.object({
  /** Schedules only: the next times, RFC 3339 in UTC. */
  next: z.array(z.string().meta({ format: 'date-time' })).exactOptional(),
  /** Schedules only: no two ticks are nearer to each other, in seconds. */
  min_interval_s: z.int().exactOptional(),
  /** Chain events only: the signature as it is hashed, and its hash. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events only: the last logs that match, newest first, each as the `event` of its params. */
  logs: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  /** Chain events only: the blocks that were searched for them, both ends included. */
  searched: z.object({ from: z.int(), to: z.int() }).exactOptional(),
  /** Chain events only: what looks wrong, such as an address without code. */
  warnings: z.array(z.string()).exactOptional(),
  /** What an action would be given; of a chain event without any log an example. */
  params: z.record(z.string(), z.unknown()),
})
export type TriggerPreview = z.infer<typeof triggerPreview>
