/**
 * The origin's database, in Postgres' dialect: PGlite under the state folder, or a server. What several
 * origin processes must agree on, and nothing else. `docs/storage.md` says who writes what and for how long.
 */
import {
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row for each origin process; its heartbeat says that the claims it holds are still its own. */
export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  startedAt: time('started_at').notNull(),
  heartbeatAt: time('heartbeat_at').notNull(),
})

/** A run is executed by who inserts its claim, so at most once at any number of processes. */
export const runClaims = pgTable(
  'run_claims',
  {
    /** The account's master hash, 0x hex. */
    accountHash: text('account_hash').notNull(),
    runId: text('run_id').notNull(),
    processId: text('process_id').notNull(),
    attempt: integer('attempt').notNull(),
    claimedAt: time('claimed_at').notNull(),
    endedAt: time('ended_at'),
    /** The outcome, encrypted under a root-derived key; null while the run is under way. */
    outcome: bytea('outcome'),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.runId] }),
    index('run_claims_run').on(table.runId),
    index('run_claims_ended').on(table.endedAt),
  ],
)

/** Ids of sealed requests that carry no run: each is taken once while it is fresh. */
export const replayIds = pgTable(
  'replay_ids',
  { requestId: text('request_id').primaryKey(), expiresAt: time('expires_at').notNull() },
  (table) => [index('replay_ids_expires').on(table.expiresAt)],
)
