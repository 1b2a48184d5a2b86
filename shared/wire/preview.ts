import { z } from 'zod'
import { paramsSchema } from './action-call.ts'
import { timeText } from './text.ts'
import { TRIGGER_KINDS, triggerOptions } from './trigger.ts'

/**
 * Request for a preview. It has the same fields as a request for creation, except those that a preview does not need.
 */
export const previewRequest = z.strictObject({
  kind: z.enum(TRIGGER_KINDS),
  config: z.record(z.string(), z.unknown()).default({}),
  default_params: paramsSchema.default({}),
  /** Options of the trigger. Expressions are evaluated. `finality` determines the logs of a chain event. */
  options: triggerOptions.default({}),
  trigger_id: z
    .string()
    .optional()
    .describe(
      'One of your triggers. The expressions in options are evaluated on its latest events, and logs of a chain event are not searched.',
    ),
})
export type PreviewRequest = z.infer<typeof previewRequest>

const evaluatedExpressions = z
  .partialRecord(
    z.enum(['filter', 'dedup_key', 'concurrency_key', 'order_key', 'debounce_key']),
    z.object({
      value: z.union([z.boolean(), z.string()]).nullable().exactOptional(),
      error: z.string().exactOptional(),
    }),
  )
  .describe('Value of each expression in options, or the error with which it failed.')

const recentEvent = z.object({
  run_id: z.string(),
  queued_at: timeText,
  expressions: evaluatedExpressions,
})
export type RecentEvent = z.infer<typeof recentEvent>

const previewedTick = z.object({
  utc: z.string().meta({ format: 'date-time' }),
  /** The same time by the clock of the time zone. */
  local: z.string().meta({ format: 'date-time' }),
  clock_change: z
    .enum(['skipped', 'repeated'])
    .exactOptional()
    .describe(
      'skipped: the clock is put forward over the local time, so the tick fires at the first instant after that. ' +
        'repeated: the clock is set back, so the local time occurs twice.',
    ),
})
export type PreviewedTick = z.infer<typeof previewedTick>

export const triggerPreview = z.object({
  /** Schedules only: times of the next ticks, before jitter. */
  next: z.array(z.string().meta({ format: 'date-time' })).exactOptional(),
  /** Schedules with a time zone only: the ticks in `next` with their local times. */
  ticks: z.array(previewedTick).exactOptional(),
  /** Cron expressions only: shortest interval between two ticks by the local clock. */
  min_interval_s: z.int().exactOptional(),
  /** Chain events only: normalized signature of the event. `topic0` is the hash of this signature. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events only: latest matching logs, blocks or transactions, newest first, in the form of the `event` param. */
  logs: z.array(z.record(z.string(), z.unknown())).exactOptional(),
  /** Chain events only: inclusive range of blocks that was searched. */
  searched: z.object({ from: z.int(), to: z.int() }).exactOptional(),
  /** Chain events only: likely mistakes, such as an address without code. */
  warnings: z.array(z.string()).exactOptional(),
  /** Only if `options` contain expressions: their values on `params`. */
  expressions: evaluatedExpressions.exactOptional(),
  /** Only with `trigger_id`: its latest events, newest first, without test runs and replays. */
  recent: z.array(recentEvent).exactOptional(),
  /** Params that the action would receive. If no log matches a chain event trigger, the params are an example. */
  params: z.record(z.string(), z.unknown()),
})
export type TriggerPreview = z.infer<typeof triggerPreview>
