/** `POST /api/triggers/preview`: what a trigger that is not made yet would do. */
import { z } from 'zod'
import { paramsSchema } from './action-call.ts'
import { TRIGGER_KINDS } from './trigger.ts'

/** Fields as at creation; what a preview does not need is unknown to it. */
export const previewRequest = z.strictObject({
  kind: z.enum(TRIGGER_KINDS),
  config: z.record(z.string(), z.unknown()).default({}),
  default_params: paramsSchema.default({}),
})
export type PreviewRequest = z.infer<typeof previewRequest>

export const triggerPreview = z.object({
  /** Schedules only: the next times, RFC 3339 in UTC. */
  next: z.array(z.string().meta({ format: 'date-time' })).exactOptional(),
  /** Schedules only: no two ticks are nearer to each other, in seconds. */
  min_interval_s: z.int().exactOptional(),
  /** What an action would be given. */
  params: z.record(z.string(), z.unknown()),
})
export type TriggerPreview = z.infer<typeof triggerPreview>
