/** Schemas of triggers and runs. Unknown fields of a request are rejected. */
import { z } from 'zod'
import {
  ACTIVITY_HOURS,
  BATCH_EVENTS_MAX,
  COLLECT_MAX_MS,
  COLLECT_MIN_MS,
  CONCURRENCY_MAX,
  EXPRESSION_MAX_CHARACTERS,
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
import { textSchema, timeText } from './text.ts'
import { logLineSchema } from './outcome.ts'
import { REJECTION_REASONS, webhookSecret, webhookSource } from './webhook-source.ts'

export const TRIGGER_KINDS = ['webhook', 'schedule', 'chain_event'] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

const jsonObject = z.record(z.string(), z.unknown())

/** Senders whose handshake can be answered in the sender's own format (docs/triggers.md, Handshakes). */
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

const expression = textSchema.min(1).max(EXPRESSION_MAX_CHARACTERS)

const MISFIRE_POLICIES = ['coalesce', 'skip', 'all'] as const

/** Options of a trigger. A separate check determines which options each kind of trigger accepts. */
export const triggerOptions = z.strictObject({
  concurrency: z
    .int()
    .min(1)
    .max(CONCURRENCY_MAX)
    .optional()
    .describe('Maximum number of concurrent runs.'),
  batch: z
    .strictObject({
      max_events: z.int().min(2).max(BATCH_EVENTS_MAX),
      max_ms: z.int().min(COLLECT_MIN_MS).max(COLLECT_MAX_MS),
    })
    .optional()
    .describe(
      'Webhooks: several events become one run, with the array params.events. The run starts when it has max_events, or max_ms after its first event.',
    ),
  concurrency_key: expression
    .optional()
    .describe(
      'Webhooks and chain events: runs for which this CEL expression has the same value run one at a time, such as event.customer.id.',
    ),
  debounce_key: expression
    .optional()
    .describe(
      'Webhooks: events are debounced separately for each value of this CEL expression, such as event.repository.id.',
    ),
  debounce_ms: z
    .int()
    .min(COLLECT_MIN_MS)
    .max(COLLECT_MAX_MS)
    .optional()
    .describe(
      'Webhooks: only the last event runs, once no further event has arrived for this many milliseconds.',
    ),
  dedup: z
    .union([z.boolean(), z.strictObject({ header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/) })])
    .optional()
    .describe(
      'Webhooks: at most one run per delivery ID within 24 hours. true recognizes the delivery IDs of common senders.',
    ),
  dedup_key: expression
    .optional()
    .describe(
      'Webhooks and chain events: at most one run per value of this CEL expression within 24 hours, such as event.id.',
    ),
  filter: expression
    .optional()
    .describe(
      'Condition in CEL over the params of the run, such as event.action == "opened". Other events start no run.',
    ),
  finality: z
    .union([z.enum(['latest', 'safe', 'finalized']), z.int().min(0).max(FINALITY_DEPTH_MAX)])
    .optional()
    .describe(
      'Chain events: when a block counts as final. A number means that many blocks below the head.',
    ),
  handshake: z
    .enum(HANDSHAKE_SENDERS)
    .optional()
    .describe('Webhooks: the sender whose handshake is answered.'),
  misfire: z.enum(MISFIRE_POLICIES).optional().describe('Schedules: how missed ticks are handled.'),
  on_lost: z
    .enum(['fail', 'retry'])
    .optional()
    .describe(
      'What to do with a run that the origin lost, which may have been executed: fail it, or run it again.',
    ),
  order_key: expression
    .optional()
    .describe(
      'Webhooks and chain events: runs for which this CEL expression has the same value run one at a time in order of arrival. A retry delays only later runs with this value.',
    ),
  pass_headers: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'expected a header name' })
        .toLowerCase(),
    )
    .max(PASS_HEADERS_MAX)
    .overwrite((names) => [...new Set(names)])
    .optional()
    .describe(
      'Webhooks: additional headers that the action receives. The run history shows their values as REDACTED.',
    ),
  respond: z
    .literal('run')
    .optional()
    .describe(
      'Webhooks: the sender gets the response of the action, if the run ends within 10 s, instead of a 202.',
    ),
  source: webhookSource
    .optional()
    .describe(
      'Webhooks: the sender. Webhooks without a valid signature of this sender are rejected with 401. Requires webhook_secret.',
    ),
})
export type TriggerOptions = z.infer<typeof triggerOptions>

const number = (value: number) => value.toLocaleString('en-US')

const fields = {
  name: textSchema.min(1).max(200).describe('Shown to the owner; does not have to be unique.'),
  action_code: sourceSchema
    .min(1)
    .describe(
      'JavaScript that defines a function main, which is called with one argument, params.',
    ),
  default_params: paramsSchema.meta({
    description: 'Params of every run. The keys of the event override them.',
  }),
  usage_api_key: z
    .string()
    .min(1)
    .max(256)
    .describe(
      'A usage key that is allowed to run the action. It is stored encrypted and never shown again.',
    ),
  max_runs_per_minute: z
    .int()
    .min(1)
    .max(MAX_RUNS_PER_MINUTE_BOUND)
    .describe(
      'Maximum number of runs that start within any 60 seconds. Further runs wait in the queue.',
    ),
  max_queued_runs: z
    .int()
    .min(1)
    .max(MAX_QUEUED_RUNS_BOUND)
    .describe(
      'Maximum number of queued runs. Further webhooks get a 429. ' +
        `The default at creation is ${number(WEBHOOK_QUEUED_RUNS_DEFAULT)} for webhooks and ${number(MAX_QUEUED_RUNS_DEFAULT)} for other kinds.`,
    ),
  config: jsonObject.describe(
    'webhook: {}. schedule: {cron, timezone?, starts_at?, ends_at?, jitter_s?} with a cron expression of 5 fields, or 6 with seconds first, ' +
      'whose ticks are at least 30 s apart, in UTC or the IANA time zone; or {at} for a single run. Times are in RFC 3339. ' +
      'chain_event: {chain, contract_address or addresses or factory: {address, event, parameter}, event_signature, start_block?, topic_filters?, where?}, ' +
      'or {chain, blocks: {every}, start_block?} for each block whose number is divisible by every, ' +
      'or {chain, transactions: {to?, from?, selector?, min_value?, status?}, start_block?} for each transaction to or from an address.',
  ),
  options: triggerOptions.describe('Options that do not apply to the kind are rejected.'),
  enabled: z.boolean().describe('A disabled trigger does not fire.'),
  webhook_secret: webhookSecret.describe(
    'The secret or public key of options.source, or two while it is rotated. It is stored encrypted and never shown again.',
  ),
}

/** Fields of a new trigger, without the check that it has a usage key. */
export const createTriggerFields = z.strictObject({
  ...fields,
  kind: z.enum(TRIGGER_KINDS),
  usage_api_key: fields.usage_api_key.optional(),
  usage_key_of: z
    .string()
    .optional()
    .describe(
      'Instead of usage_api_key: the ID of one of your triggers, whose usage key is copied to the new trigger. The key is never shown.',
    ),
  default_params: fields.default_params.default({}),
  max_runs_per_minute: fields.max_runs_per_minute.default(MAX_RUNS_PER_MINUTE_DEFAULT),
  max_queued_runs: fields.max_queued_runs.optional(),
  config: fields.config.default({}),
  options: fields.options.default({}),
  enabled: fields.enabled.default(true),
  webhook_secret: fields.webhook_secret.optional(),
})

type UsageKeyChoice = { usage_api_key?: unknown; usage_key_of?: unknown }
/** Checks the keys even if other fields are invalid, so that all problems are reported together. */
const whenObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

export const createTriggerRequest = createTriggerFields
  .refine(
    ({ usage_api_key, usage_key_of }: UsageKeyChoice) =>
      usage_api_key !== undefined || usage_key_of !== undefined,
    { path: ['usage_api_key'], error: 'required, unless usage_key_of is set', when: whenObject },
  )
  .refine(
    ({ usage_api_key, usage_key_of }: UsageKeyChoice) =>
      usage_api_key === undefined || usage_key_of === undefined,
    { path: ['usage_key_of'], error: 'cannot be combined with usage_api_key', when: whenObject },
  )
  .meta({ anyOf: [{ required: ['usage_api_key'] }, { required: ['usage_key_of'] }] })
export type CreateTrigger = z.infer<typeof createTriggerRequest>

/** Returns the default maximum of queued runs (docs/decisions/0070). */
export function defaultQueuedRuns(kind: TriggerKind): number {
  return kind === 'webhook' ? WEBHOOK_QUEUED_RUNS_DEFAULT : MAX_QUEUED_RUNS_DEFAULT
}

/** Changes to a trigger. An absent field stays unchanged. */
export const patchTriggerRequest = z
  .strictObject({
    ...fields,
    kind: z.never({ error: 'cannot be changed: create another trigger instead' }),
  })
  .partial()
export type PatchTrigger = z.infer<typeof patchTriggerRequest>

export const waitingFor = z
  .enum(['payment', 'spend_cap', 'failed_execution_allowance', 'key_limit', 'origin'])
  .meta({
    description:
      'What the runs wait for: credits, the usage key’s spending cap, the allowance for failed runs of this key and action, the usage key’s limit of requests per minute or of concurrent runs, or an origin that accepts runs.',
  })
export type WaitingFor = z.infer<typeof waitingFor>

/** Statistics of a trigger: counts over the last 24 hours, and the current state of the queue. */
const triggerStats = z.object({
  window: z.literal('24h'),
  // Counts of finished runs by status.
  ok: z.int(),
  failed: z.int(),
  /** Number of schedule ticks that did not start a run. */
  skipped: z.int(),
  /** Number of events that `options.filter` did not match. */
  filtered: z.int(),
  /** Number of events on which `options.filter` failed. They started no run. */
  filter_errors: z.int(),
  /** Number of events on which an expression for a key failed. They are treated as events without this key. */
  key_errors: z.int(),
  /** Number of events that were recognized as repeated. */
  deduplicated: z.int(),
  /** The latest error of an expression on an event. Null if there was none. */
  last_expression_error: z.object({ at: timeText, error: z.string() }).nullable(),
  // Percentiles of the latest runs' durations. Null if there are no such runs.
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  queued: z.int(),
  running: z.int(),
  oldest_queued_at: timeText.nullable(),
  /** Triggers with `options.source` only: webhooks that were rejected since the source or its secret was set. */
  rejected: z
    .object({
      count: z.int(),
      since: timeText,
      last_reason: z.enum(REJECTION_REASONS).nullable(),
      last_at: timeText.nullable(),
    })
    .exactOptional(),
})
export type TriggerStats = z.infer<typeof triggerStats>

/** Progress of a backfill. `from` and `to` are block numbers, both inclusive. */
const backfillRecord = z.object({
  from: z.int(),
  to: z.int(),
  /** Next block to scan. Greater than `to` when the backfill is done. */
  at: z.int(),
  done: z.boolean(),
})
export type BackfillRecord = z.infer<typeof backfillRecord>

/** Contracts that a factory has created. `learning_at` is a block number. */
const factoryContracts = z.object({
  count: z.int(),
  /** Next block to scan for contracts. The trigger receives no events before the scan is done. Null once it is done. */
  learning_at: z.int().nullable(),
})
export type FactoryContracts = z.infer<typeof factoryContracts>

/**
 * Record of a trigger. Times are in RFC 3339 and UTC. The usage key is write-only, so the record does not include it.
 */
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
  /** Webhooks only: URL to which senders post. */
  webhook_url: z.string().exactOptional(),
  /** Schedules only: time of the next run. Null while the trigger is disabled, and if the schedule has ended. */
  next_run_at: timeText.nullable().exactOptional(),
  /** Schedules only: why an enabled trigger has no next run. Absent otherwise. */
  ended_reason: z.string().exactOptional(),
  /** Chain events on logs only: normalized signature of the event. `topic0` is the hash of this signature. */
  canonical_signature: z.string().exactOptional(),
  topic0: z.string().exactOptional(),
  /** Chain events with `config.addresses` only: number of addresses. Lists of triggers omit the addresses. */
  addresses_count: z.int().exactOptional(),
  /**
   * Contracts of an enabled chain event with `config.factory`. Included only in the response of `get_trigger`, if the
   * watcher of the chain responds.
   */
  factory_contracts: factoryContracts.exactOptional(),
  /** Chain events only: the trigger's own finality, or the chain's default. */
  finality: z.union([z.enum(['latest', 'safe', 'finalized']), z.int()]).exactOptional(),
  /**
   * Progress of the trigger's backfill. Present if `start_block` was below the head when the trigger started. Not
   * included in lists.
   */
  backfill: backfillRecord.exactOptional(),
  /** Reason why the service disabled the trigger. Null if the service did not disable it. */
  disabled_reason: z.string().nullable(),
  /** Condition that the trigger's runs wait for. Null if no runs are waiting. */
  waiting_for: waitingFor.nullable(),
  /** Statistics of the trigger. Not included in lists. */
  stats: triggerStats.exactOptional(),
  created_at: timeText,
  updated_at: timeText,
})
export type TriggerRecord = z.infer<typeof triggerRecord>

export const storedTrigger = triggerRecord.extend({
  /** Warnings about the trigger, which are not stored. Absent if there are no warnings. */
  warnings: z.array(z.string()).exactOptional().meta({
    description:
      'Reasons why runs with its usage key would be rejected, and how to complete an event_signature that does not determine how logs are decoded. Not stored.',
  }),
})
/** A created or changed trigger. `warnings` are about the trigger's usage key and event signature. */
export type StoredTrigger = z.infer<typeof storedTrigger>

export const RUN_STATUSES = ['queued', 'running', 'success', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Figures of a trigger's runs in a list. They are up to 15 seconds old. Test runs count only as `last_run`. */
const listedActivity = z.object({
  /** Time at which the trigger computed the figures. It does so after each run, and at most every 15 seconds. */
  as_of: timeText,
  /** The newest run. Null if the history is empty. */
  last_run: z
    .object({
      id: z.string(),
      status: z.enum(RUN_STATUSES),
      queued_at: timeText,
      finished_at: timeText.nullable(),
      test: z.boolean(),
    })
    .nullable(),
  failing: z
    .boolean()
    .describe('True if the latest run failed, and at least half of the latest five did.'),
  // Runs that finished in the current hour and the 23 hours before it.
  ok: z.int(),
  failed: z.int(),
  success_rate: z
    .number()
    .nullable()
    .describe('Share of these runs that succeeded, from 0 to 1. Null if there are none.'),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  ok_by_hour: z.array(z.int()).length(ACTIVITY_HOURS).describe('Oldest hour first, in UTC.'),
  failed_by_hour: z.array(z.int()).length(ACTIVITY_HOURS),
})
export type ListedActivity = z.infer<typeof listedActivity>

/** Record of a trigger in a list, without the source and large `default_params`. */
export const listedTrigger = triggerRecord
  .omit({
    action_code: true,
    waiting_for: true,
    stats: true,
    backfill: true,
    factory_contracts: true,
  })
  .extend({
    default_params: triggerRecord.shape.default_params.nullable(),
    /** Set if `default_params` is null because of its size. The record of the single trigger contains the params. */
    default_params_omitted: z.literal(true).exactOptional(),
    /** Figures of the trigger's runs. Absent before the first run, and if they cannot be read at the moment. */
    activity: listedActivity.exactOptional(),
  })
/** A trigger in a list, without `action_code`. `default_params` is null if it is large. */
export type ListedTrigger = z.infer<typeof listedTrigger>

/** Record of a run. Times are in RFC 3339 and UTC, and null if the event has not occurred. */
export const runRecord = z.object({
  id: z.string(),
  trigger_id: z.string(),
  status: z.enum(RUN_STATUSES),
  /** Params that the action receives. The values of secret headers are masked. */
  input: z.record(z.string(), z.unknown()),
  /** Lists only: set if the webhook body does not fit the page. `input` then omits the parts derived from the body. */
  input_omitted: z
    .object({ bytes: z.int(), url: z.string() })
    .exactOptional()
    .describe(
      'Lists only: set if the body, with this many bytes, does not fit the page. GET url returns the whole input.',
    ),
  response: z.unknown(),
  error: z.string().nullable(),
  logs: z.array(logLineSchema),
  /** Charge for the run, in cents. 0 until the run has finished, and for failed runs. */
  charged_cents: z.int(),
  /** Receipt of the run, signed by the origin. Null until the run has finished, and if the action was not executed. */
  receipt: receiptText.nullable(),
  attempt: z.int(),
  action_cid: z.string(),
  queued_at: timeText,
  started_at: timeText.nullable(),
  finished_at: timeText.nullable(),
  next_attempt_at: timeText.nullable(),
  waiting_for: waitingFor.nullable(),
  /** True if the run was started by `POST /api/triggers/<id>/test`. */
  test: z.boolean(),
  /** ID of the replayed run. Null if this run is not a replay. */
  replay_of: z.string().nullable(),
  /**
   * Chain events only: true if a reorganization deeper than the trigger's finality removed the run's log from the
   * chain.
   */
  reorged: z.boolean(),
  /** ID of the run's trace (W3C Trace Context), which the operator's collector may have. */
  trace_id: z
    .string()
    .describe(
      "ID of the run's trace (W3C Trace Context), which the operator's collector may have.",
    ),
})
export type RunRecord = z.infer<typeof runRecord>
