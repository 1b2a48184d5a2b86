/** Bodies and records of the trigger service. Unknown fields are rejected. */
import { z } from 'zod'
import {
  CONCURRENCY_MAX,
  FINALITY_DEPTH_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_QUEUED_RUNS_DEFAULT,
  MAX_RUNS_PER_MINUTE_BOUND,
  MAX_RUNS_PER_MINUTE_DEFAULT,
  PASS_HEADERS_MAX,
  WEBHOOK_QUEUED_RUNS_DEFAULT,
} from '../limits.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { receiptText } from './core.ts'
import { text } from './text.ts'
import { logLineSchema } from './outcome.ts'

export const TRIGGER_KINDS = ['webhook', 'schedule', 'chain_event'] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

const jsonObject = z.record(z.string(), z.unknown())

/** Senders whose handshake can be answered in their own format (docs/triggers.md, Handshakes). */
export const HANDSHAKE_SENDERS = [
  'slack',
  'twitch',
  'monday',
  'microsoft_graph',
  'smartsheet',
  'ringcentral',
  'asana',
  'event_grid',
  'strava',
] as const
export type HandshakeSender = (typeof HANDSHAKE_SENDERS)[number]

export const MISFIRES = ['coalesce', 'skip', 'all'] as const

/** Optional settings. Another check decides which kind of trigger accepts which of them. */
export const triggerOptions = z.strictObject({
  concurrency: z.int().min(1).max(CONCURRENCY_MAX).optional().describe('Runs under way at once.'),
  dedup: z
    .union([z.boolean(), z.strictObject({ header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/) })])
    .optional()
    .describe(
      'Webhooks: one run for each delivery id of 24 hours; true knows the ids of common senders.',
    ),
  finality: z
    .union([z.enum(['latest', 'safe', 'finalized']), z.int().min(0).max(FINALITY_DEPTH_MAX)])
    .optional()
    .describe('Chain events: when a block is final; a number is blocks below the head.'),
  handshake: z
    .enum(HANDSHAKE_SENDERS)
    .optional()
    .describe('Webhooks: the sender whose handshake is answered.'),
  misfire: z
    .enum(MISFIRES)
    .optional()
    .describe('Schedules: what becomes of ticks that were missed.'),
  on_lost: z
    .enum(['fail', 'retry'])
    .optional()
    .describe('A run that the origin lost may have run: it fails, or is run again.'),
  pass_headers: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'expected the name of a header' })
        .toLowerCase(),
    )
    .max(PASS_HEADERS_MAX)
    .overwrite((names) => [...new Set(names)])
    .optional()
    .describe(
      'Webhooks: further headers that the action receives; run history shows their values as REDACTED.',
    ),
})
export type TriggerOptions = z.infer<typeof triggerOptions>

const number = (value: number) => value.toLocaleString('en-US')

const fields = {
  name: text.min(1).max(200).describe('For its owner; need not be unique.'),
  action_code: sourceSchema
    .min(1)
    .describe(
      'JavaScript that defines a function main, which is called with one argument: params.',
    ),
  default_params: paramsSchema.meta({
    description: 'Params of every run; the keys of the event go over them.',
  }),
  usage_api_key: z
    .string()
    .min(1)
    .max(256)
    .describe('A usage key that may run the action. It is stored sealed, and never shown again.'),
  max_runs_per_minute: z
    .int()
    .min(1)
    .max(MAX_RUNS_PER_MINUTE_BOUND)
    .describe('Runs that start within any 60 seconds; more wait in the queue.'),
  max_queued_runs: z
    .int()
    .min(1)
    .max(MAX_QUEUED_RUNS_BOUND)
    .describe(
      'Runs that may wait. A webhook past it is answered 429. ' +
        `At creation the default is ${number(WEBHOOK_QUEUED_RUNS_DEFAULT)} for a webhook, ${number(MAX_QUEUED_RUNS_DEFAULT)} for other kinds.`,
    ),
  config: jsonObject.describe(
    'webhook: {}. schedule: {cron} of 5 fields, or 6 with seconds in front, in UTC, at least 30 s apart. ' +
      'chain_event: {chain, contract_address, event_signature, start_block?, topic_filters?}.',
  ),
  options: triggerOptions.describe('What a kind has no use for is refused.'),
  enabled: z.boolean().describe('Disabled, nothing fires it.'),
}

export const createTriggerRequest = z.strictObject({
  ...fields,
  kind: z.enum(TRIGGER_KINDS),
  default_params: fields.default_params.default({}),
  max_runs_per_minute: fields.max_runs_per_minute.default(MAX_RUNS_PER_MINUTE_DEFAULT),
  max_queued_runs: fields.max_queued_runs.optional(),
  config: fields.config.default({}),
  options: fields.options.default({}),
  enabled: fields.enabled.default(true),
})
export type CreateTrigger = z.infer<typeof createTriggerRequest>

/** Default `max_queued_runs` of a new trigger (docs/decisions/0070). */
export function defaultQueuedRuns(kind: TriggerKind): number {
  return kind === 'webhook' ? WEBHOOK_QUEUED_RUNS_DEFAULT : MAX_QUEUED_RUNS_DEFAULT
}

/** All fields are optional. An absent field stays unchanged. */
export const patchTriggerRequest = z
  .strictObject({
    ...fields,
    kind: z.never({ error: 'it is fixed; create another trigger instead' }),
  })
  .partial()
export type PatchTrigger = z.infer<typeof patchTriggerRequest>

export const waitingFor = z
  .enum(['payment', 'spend_cap', 'failed_execution_allowance', 'origin'])
  .meta({
    description:
      'What is waited for: credit, room under the usage key’s cap, allowance for failed runs of this key and action, or an origin that takes runs.',
  })
export type WaitingFor = z.infer<typeof waitingFor>

const time = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' })

/** Counts over the last 24 hours, and the current queue. */
export const triggerStats = z.object({
  window: z.literal('24h'),
  // Finished runs, by status.
  ok: z.int(),
  failed: z.int(),
  /** Schedule ticks that did not start a run. */
  skipped: z.int(),
  // Milliseconds from start to end of the latest runs; null if there are none.
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  queued: z.int(),
  running: z.int(),
  oldest_queued_at: time.nullable(),
})
export type TriggerStats = z.infer<typeof triggerStats>

/** Progress of a backfill. Block numbers, inclusive. */
export const backfillRecord = z.object({
  from: z.int(),
  to: z.int(),
  /** The backfill cursor: the next block to scan. Greater than `to` when done. */
  at: z.int(),
  done: z.boolean(),
})
export type BackfillRecord = z.infer<typeof backfillRecord>

/** A trigger as its owner reads it. Times are RFC 3339 in UTC. The usage key is write-only. */
export const triggerRecord = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(TRIGGER_KINDS),
  action_code: z.string(),
  action_cid: z.string(),
  default_params: z.record(z.string(), z.unknown()),
  max_runs_per_minute: z.int(),
  max_queued_runs: z.int(),
  config: z.record(z.string(), z.unknown()),
  options: triggerOptions,
  enabled: z.boolean(),
  /** Webhooks only. */
  webhook_url: z.string().exactOptional(),
  /** Schedules only; null while disabled. */
  next_run_at: time.nullable().exactOptional(),
  /** Chain events only: the signature in the form that is hashed, and its hash. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events only: the trigger's own finality, or else the chain's default. */
  finality: z.union([z.enum(['latest', 'safe', 'finalized']), z.int()]).exactOptional(),
  /** Chain events whose `start_block` was below the head at the start. Not included in lists. */
  backfill: backfillRecord.exactOptional(),
  /** The reason if the service disabled the trigger; otherwise null. */
  disabled_reason: z.string().nullable(),
  /** The condition that is holding its runs back. */
  waiting_for: waitingFor.nullable(),
  /** Not included in lists. */
  stats: triggerStats.exactOptional(),
  created_at: time,
  updated_at: time,
})
export type TriggerRecord = z.infer<typeof triggerRecord>

/** Response of creation and PATCH: the record, with warnings for its owner. */
export const storedTrigger = triggerRecord.extend({
  /** Not stored; absent if there are none. */
  warnings: z.array(z.string()).exactOptional().meta({
    description:
      'Why runs would be refused with its usage key, and what to write if event_signature leaves open how logs are decoded; not stored.',
  }),
})
export type StoredTrigger = z.infer<typeof storedTrigger>

/** A trigger in a list: without its source, and without large `default_params`. */
export const listedTrigger = triggerRecord
  .omit({ action_code: true, waiting_for: true, stats: true, backfill: true })
  .extend({
    default_params: triggerRecord.shape.default_params.nullable(),
    /** Set if `default_params` is null because of its size. Fetch the trigger itself to read it. */
    default_params_omitted: z.literal(true).exactOptional(),
  })
export type ListedTrigger = z.infer<typeof listedTrigger>

export const RUN_STATUSES = ['queued', 'running', 'success', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** A run as its owner reads it. Times are RFC 3339 in UTC, or null. */
export const runRecord = z.object({
  id: z.string(),
  trigger_id: z.string(),
  status: z.enum(RUN_STATUSES),
  /** The params that the action receives, with the values of secret headers masked. */
  input: z.record(z.string(), z.unknown()),
  /** Lists only: the body does not fit the page, so `input` omits the parts derived from it. */
  input_omitted: z
    .object({ bytes: z.int(), url: z.string() })
    .exactOptional()
    .describe(
      'Lists only: the body has this many bytes and does not fit the page; GET url has the whole input.',
    ),
  response: z.unknown(),
  error: z.string().nullable(),
  logs: z.array(logLineSchema),
  /** 0 until the run has finished, and for failed runs. */
  charged_cents: z.int(),
  /** Signed by the origin. Null until the run has finished, and if there was no execution. */
  receipt: receiptText.nullable(),
  attempt: z.int(),
  action_cid: z.string(),
  queued_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  next_attempt_at: time.nullable(),
  waiting_for: waitingFor.nullable(),
  /** True for a run of `POST /api/triggers/<id>/test`. */
  test: z.boolean(),
  /** ID of the run that this one replays. */
  replay_of: z.string().nullable(),
  /** Chain events: a reorganization deeper than the trigger's finality removed its log from the chain. */
  reorged: z.boolean(),
})
export type RunRecord = z.infer<typeof runRecord>
