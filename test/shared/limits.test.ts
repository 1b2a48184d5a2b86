import { expect, it } from 'vitest'
import * as limits from '../../shared/limits.ts'

const MIB = 1024 * 1024

/** The figures of the specification and of `decisions.md`, written out: a constant that drifts is noticed here. */
it.each([
  ['EXECUTION_WALL_MS', 120_000],
  ['EXECUTION_WALL_MAX_MS', 900_000],
  ['EXECUTION_CPU_MS', 30_000],
  ['ACTION_MEMORY_BYTES', 64 * MIB],
  ['SOURCE_MAX_BYTES', 16 * MIB],
  ['PARAMS_MAX_BYTES', 8 * MIB],
  ['RESULT_MAX_BYTES', MIB],
  ['LOGS_MAX_BYTES', 100 * 1024],
  ['JSON_DEPTH_MAX', 512],
  ['KEY_OPERATIONS_MAX', 10],
  ['ENCRYPTED_MESSAGE_MAX_BYTES', 64 * 1024],
  ['OUTBOUND_REQUESTS_MAX', 50],
  ['OUTBOUND_RESPONSE_MAX_BYTES', 1_000_000],
  ['PERMISSION_IDS_MAX', 50],
  ['NAME_MAX_CHARACTERS', 256],
  ['DESCRIPTION_MAX_CHARACTERS', 1_024],
  ['ACCOUNT_DESCRIPTION_MAX_CHARACTERS', 256],
  ['WEBHOOK_BODY_MAX_BYTES', 2 * MIB],
  ['TRIGGER_SOURCE_MAX_BYTES', MIB],
  ['MAX_RUNS_PER_MINUTE_DEFAULT', 60],
  ['MAX_RUNS_PER_MINUTE_BOUND', 6_000],
  ['MAX_QUEUED_RUNS_DEFAULT', 100],
  ['MAX_QUEUED_RUNS_BOUND', 10_000],
  ['QUEUED_BYTES_MAX', 256 * MIB],
  ['WEBHOOK_CONCURRENCY', 8],
  ['ORIGIN_CONNECTIONS_PER_OBJECT', 4],
  ['EXECUTE_WAIT_MS', 5_000],
  ['OUTCOMES_WAIT_MS', 25_000],
  ['OUTCOME_KEPT_MS', 24 * 3_600_000],
  ['MAGIC_LINK_LIFETIME_MS', 15 * 60_000],
  ['SESSION_LIFETIME_MS', 7 * 24 * 3_600_000],
  ['AGENT_TOKEN_LIFETIME_MS', 90 * 24 * 3_600_000],
  ['AGENT_TOKEN_IDLE_MS', 30 * 24 * 3_600_000],
  ['RUNS_PAGE_DEFAULT', 50],
  ['RUNS_PAGE_MAX', 100],
] as const)('%s is %d', (name, figure) => {
  expect(limits[name]).toBe(figure)
})
