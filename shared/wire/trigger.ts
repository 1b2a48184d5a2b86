/** Bodies and records of the trigger service (`spec/trigger-service.md`). Unknown fields are refused. */
import { z } from 'zod'
import {
  CONCURRENCY_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_QUEUED_RUNS_DEFAULT,
  MAX_RUNS_PER_MINUTE_BOUND,
  MAX_RUNS_PER_MINUTE_DEFAULT,
} from '../limits.ts'
import { sourceSchema } from './core.ts'
import type { LogLine } from '../log-line.ts'

export const TRIGGER_KINDS = ['webhook', 'schedule', 'chain_event'] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

const jsonObject = z.record(z.string(), z.unknown())

/** Senders whose POST handshake is answered on demand (`decisions.md`, Handshakes). */
export const HANDSHAKE_SENDERS = [
  'slack',
  'twitch',
  'monday',
  'microsoft_graph',
  'smartsheet',
  'ringcentral',
] as const
export type HandshakeSender = (typeof HANDSHAKE_SENDERS)[number]

export const MISFIRES = ['coalesce', 'skip', 'all'] as const

/** What goes beyond the specification (`decisions.md`, Extensions); which kind takes what is checked apart. */
export const triggerOptions = z.strictObject({
  /** Runs under way at once. */
  concurrency: z.int().min(1).max(CONCURRENCY_MAX).optional(),
  /** Webhooks: one run for each delivery id of 24 hours; `true` knows the ids of common senders. */
  dedup: z
    .union([z.boolean(), z.strictObject({ header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/) })])
    .optional(),
  /** Webhooks: whose POST handshake is answered. */
  handshake: z.enum(HANDSHAKE_SENDERS).optional(),
  /** Schedules: what becomes of ticks that were missed. */
  misfire: z.enum(MISFIRES).optional(),
  /** A run that the origin lost may have run: it fails, or is run again. */
  on_lost: z.enum(['fail', 'retry']).optional(),
})
export type TriggerOptions = z.infer<typeof triggerOptions>

const fields = {
  name: z.string().min(1).max(200),
  action_code: sourceSchema.min(1),
  default_params: jsonObject,
  usage_api_key: z.string().min(1).max(256),
  max_runs_per_minute: z.int().min(1).max(MAX_RUNS_PER_MINUTE_BOUND),
  max_queued_runs: z.int().min(1).max(MAX_QUEUED_RUNS_BOUND),
  config: jsonObject,
  options: triggerOptions,
  enabled: z.boolean(),
}

export const createTriggerRequest = z.strictObject({
  ...fields,
  kind: z.enum(TRIGGER_KINDS),
  default_params: fields.default_params.default({}),
  max_runs_per_minute: fields.max_runs_per_minute.default(MAX_RUNS_PER_MINUTE_DEFAULT),
  max_queued_runs: fields.max_queued_runs.default(MAX_QUEUED_RUNS_DEFAULT),
  config: fields.config.default({}),
  options: fields.options.default({}),
  enabled: fields.enabled.default(true),
})
export type CreateTrigger = z.infer<typeof createTriggerRequest>

/** Any of the fields; `kind` is fixed. */
export const patchTriggerRequest = z.strictObject(fields).partial()
export type PatchTrigger = z.infer<typeof patchTriggerRequest>

export type WaitingFor = 'payment' | 'origin'

/** A trigger as its owner reads it; times are RFC 3339 in UTC. The usage key is write-only. */
export type TriggerRecord = {
  id: string
  name: string
  kind: TriggerKind
  action_code: string
  action_cid: string
  default_params: Record<string, unknown>
  max_runs_per_minute: number
  max_queued_runs: number
  config: Record<string, unknown>
  options: TriggerOptions
  enabled: boolean
  /** Webhooks only. */
  webhook_url?: string
  /** Schedules only; null while disabled. */
  next_run_at?: string | null
  /** Why the service disabled it; null where its owner did, or nobody. */
  disabled_reason: string | null
  /** What holds its runs up. */
  waiting_for: WaitingFor | null
  created_at: string
  updated_at: string
}

export const RUN_STATUSES = ['queued', 'running', 'success', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** A run as its owner reads it; times are RFC 3339 in UTC, absent ones null. */
export type RunRecord = {
  id: string
  trigger_id: string
  status: RunStatus
  /** The params that the action receives, secret-valued headers masked. */
  input: Record<string, unknown>
  response: unknown
  error: string | null
  logs: LogLine[]
  /** What the run cost; 0 until it has ended, and where it failed. */
  charged_cents: number
  attempt: number
  action_cid: string
  queued_at: string
  started_at: string | null
  finished_at: string | null
  next_attempt_at: string | null
  waiting_for: WaitingFor | null
  /** True for a run of `POST /api/triggers/<id>/test`. */
  test: boolean
  /** The run that this one repeats. */
  replay_of: string | null
}
