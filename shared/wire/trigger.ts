/** Bodies and records of the trigger service (`spec/trigger-service.md`). Unknown fields are refused. */
import { z } from 'zod'
import {
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

export const createTriggerRequest = z.strictObject({
  name: z.string().min(1).max(200),
  kind: z.enum(TRIGGER_KINDS),
  action_code: sourceSchema.min(1),
  default_params: jsonObject.default({}),
  usage_api_key: z.string().min(1).max(256),
  max_runs_per_minute: z
    .int()
    .min(1)
    .max(MAX_RUNS_PER_MINUTE_BOUND)
    .default(MAX_RUNS_PER_MINUTE_DEFAULT),
  max_queued_runs: z.int().min(1).max(MAX_QUEUED_RUNS_BOUND).default(MAX_QUEUED_RUNS_DEFAULT),
  config: jsonObject.default({}),
  enabled: z.boolean().default(true),
})
export type CreateTrigger = z.infer<typeof createTriggerRequest>

/** A trigger as its owner reads it. The usage key is write-only. */
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
  enabled: boolean
  webhook_url: string
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
}
