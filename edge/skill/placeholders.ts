import { DAY_MS, MINUTE_MS } from '../../shared/durations.ts'
import {
  AGENT_REQUEST_LIFETIME_MS,
  AGENT_TOKEN_IDLE_MS,
  AGENT_TOKEN_LIFETIME_MS,
  CONCURRENCY_MAX,
  EXECUTION_SECOND_CENTS,
  EXECUTION_WALL_MS,
  HISTORY_RETENTION_MS,
  HISTORY_RUNS_MAX,
  KEY_OPERATIONS_MAX,
  MAX_QUEUED_RUNS_BOUND,
  MAX_QUEUED_RUNS_DEFAULT,
  MAX_RUNS_PER_MINUTE_BOUND,
  MAX_RUNS_PER_MINUTE_DEFAULT,
  OUTBOUND_REQUESTS_MAX,
  RUN_WAIT_MAX_S,
  RUNS_PAGE_MAX,
  SCHEDULE_CONCURRENCY,
  SCHEDULE_INTERVAL_MIN_MS,
  TOPIC_FILTERS_MAX,
  TRIGGER_SOURCE_MAX_BYTES,
  TRIGGERS_MAX,
  WEBHOOK_BODY_MAX_BYTES,
  WEBHOOK_CONCURRENCY,
  WEBHOOK_QUEUED_RUNS_DEFAULT,
} from '../../shared/limits.ts'
import type { Settings } from '../env.ts'

const MIB = 1024 * 1024

type DeploymentSettings = Pick<Settings, 'PUBLIC_URL' | 'ORIGIN_URL' | 'CHAINS'>

const number = (value: number) => value.toLocaleString('en-US')

export function placeholdersOf({ PUBLIC_URL, ORIGIN_URL, CHAINS }: DeploymentSettings) {
  const chains = Object.keys(CHAINS).map((chain) => `\`${chain}\``)
  return {
    triggers_url: new URL(PUBLIC_URL).origin,
    base_url: new URL(ORIGIN_URL).origin,
    chains: chains.length > 0 ? chains.join(', ') : 'none',
    concurrency: number(WEBHOOK_CONCURRENCY),
    concurrency_most: number(CONCURRENCY_MAX),
    concurrency_schedule: number(SCHEDULE_CONCURRENCY),
    idle_days: number(AGENT_TOKEN_IDLE_MS / DAY_MS),
    kept_days: number(HISTORY_RETENTION_MS / DAY_MS),
    kept_runs: number(HISTORY_RUNS_MAX),
    key_operations: number(KEY_OPERATIONS_MAX),
    page: number(RUNS_PAGE_MAX),
    queued_runs: number(MAX_QUEUED_RUNS_DEFAULT),
    queued_runs_webhook: number(WEBHOOK_QUEUED_RUNS_DEFAULT),
    queued_runs_most: number(MAX_QUEUED_RUNS_BOUND),
    request_minutes: number(AGENT_REQUEST_LIFETIME_MS / MINUTE_MS),
    requests: number(OUTBOUND_REQUESTS_MAX),
    runs_per_minute: number(MAX_RUNS_PER_MINUTE_DEFAULT),
    runs_per_minute_most: number(MAX_RUNS_PER_MINUTE_BOUND),
    second_cents: number(EXECUTION_SECOND_CENTS),
    source_mib: number(TRIGGER_SOURCE_MAX_BYTES / MIB),
    tick_seconds: number(SCHEDULE_INTERVAL_MIN_MS / 1000),
    token_days: number(AGENT_TOKEN_LIFETIME_MS / DAY_MS),
    topic_filters: number(TOPIC_FILTERS_MAX),
    triggers: number(TRIGGERS_MAX),
    wait_seconds: number(RUN_WAIT_MAX_S),
    wall_seconds: number(EXECUTION_WALL_MS / 1000),
    webhook_mib: number(WEBHOOK_BODY_MAX_BYTES / MIB),
  }
}

export function fillPlaceholders(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the guide has no value for {{${name}}}`)
    return value
  })
}
