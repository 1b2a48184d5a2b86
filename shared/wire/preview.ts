/** `POST /api/triggers/preview`: shows what a trigger would do before it is created. */
import { z } from 'zod'
import { paramsSchema } from './action-call.ts'
import { TRIGGER_KINDS, triggerOptions } from './trigger.ts'

/**
 * Request for a preview. It has the same fields as a request for creation, without those that a preview does not need.
 */
export const previewRequest = z.strictObject({
  kind: z.enum(TRIGGER_KINDS),
  config: z.record(z.string(), z.unknown()).default({}),
  default_params: paramsSchema.default({}),
  /** Options of a chain event trigger. Only `finality` is accepted. */
  options: triggerOptions.default({}),
})
export type PreviewRequest = z.infer<typeof previewRequest>

export const triggerPreview = z.object({
  /** Schedules only: times of the next ticks, in RFC 3339 and UTC. */
  next: z.array(z.string().meta({ format: 'date-time' })).exactOptional(),
  /** Schedules only: shortest interval between two ticks, in seconds. */
  min_interval_s: z.int().exactOptional(),
  /** Chain events only: canonical signature of the event. `topic0` is the hash of the signature. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events only: the latest matching logs, newest first. Each log has the form of the `event` param. */
  logs: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  /** Chain events only: range of blocks that was searched for logs, inclusive. */
  searched: z.object({ from: z.int(), to: z.int() }).exactOptional(),
  /** Chain events only: warnings about likely mistakes, such as an address without code. */
  warnings: z.array(z.string()).exactOptional(),
  /** Params that the action would receive. If no log matches a chain event trigger, the params are an example. */
  params: z.record(z.string(), z.unknown()),
})
export type TriggerPreview = z.infer<typeof triggerPreview>
