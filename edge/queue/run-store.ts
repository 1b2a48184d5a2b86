/** Each method is synchronous and runs in one transaction. */
import { asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite'
import type { RunStatus } from '../../shared/wire/trigger.ts'
import { BODY_PART_BYTES } from '../../shared/limits.ts'
import { recordDelivery } from './deliveries.ts'
import { LEASE_MS, type LiveRun } from './live-runs.ts'
import { insertRunKey } from './run-key-rows.ts'
import type { RevisionRow, RunResult, RunRow } from './records.ts'
import * as schema from './schema.ts'

const { bodyParts, results, runs } = schema

export type QueueDatabase = DrizzleSqliteDODatabase<typeof schema>

export type NewRun = {
  suffix: string
  revision: number
  queuedAt: number
  firing: string
  body: Uint8Array
  delivery?: string | undefined
  test?: boolean | undefined
  replayOf?: string | undefined
  /** Key of a run of a keyed trigger (`run_keys`). Null if the run has no key. Absent for other triggers. */
  key?: string | null | undefined
}

/** How many runs of a batch start at once instead of being queued, and with which usage key. */
export type ImmediateStarts = { max: number; at: number; usageKey: number }

type QueuedTotals = { queued: number; queuedBytes: number }

export class RunStore {
  readonly #storage: DurableObjectStorage
  readonly #db: QueueDatabase

  constructor(storage: DurableObjectStorage, db: QueueDatabase) {
    this.#storage = storage
    this.#db = db
  }

  /**
   * Inserts runs. The first ones are inserted as running, which saves the writes of starting them later. Bypasses the
   * slower query builder, because the senders are waiting for a response.
   * @returns the running ones
   */
  insert(batch: readonly NewRun[], starts?: ImmediateStarts): LiveRun[] {
    return this.#storage.transactionSync(() => {
      const started: LiveRun[] = []
      for (const [n, run] of batch.entries()) {
        const { suffix, revision } = run
        const start = starts && n < starts.max ? starts : undefined
        const bodyBytes = run.body.length
        const whole = bodyBytes <= BODY_PART_BYTES
        this.#storage.sql.exec(
          `INSERT INTO runs (suffix, status, revision, queued_at, firing, body, body_bytes, attempt, test, replay_of,
             started_at, lease_until, usage_key)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          suffix,
          start ? 'running' : 'queued',
          revision,
          run.queuedAt,
          run.firing,
          whole ? run.body : null,
          bodyBytes,
          start ? 1 : 0,
          run.test ? 1 : 0,
          run.replayOf ?? null,
          start ? start.at : null,
          start ? start.at + LEASE_MS : null,
          start ? start.usageKey : null,
        )
        if (start || !whole || run.key !== undefined) {
          const sequence = this.#lastSequence()
          if (run.key !== undefined) insertRunKey(this.#storage.sql, sequence, run.key)
          if (!whole) this.#insertParts(sequence, run.body)
          if (start) {
            const { at: startedAt, usageKey } = start
            const facts = { attempt: 1, startedAt, usageKey, inDoubtSince: null }
            started.push({ sequence, suffix, revision, bodyBytes, ...facts })
          }
        }
        if (run.delivery !== undefined)
          recordDelivery(this.#storage.sql, run.delivery, suffix, run.queuedAt)
      }
      return started
    })
  }

  /** Returns the sequence number of the most recently inserted run. */
  #lastSequence(): number {
    const [last] = this.#storage.sql
      .exec<{ sequence: number }>('SELECT last_insert_rowid() AS sequence')
      .toArray()
    return last!.sequence
  }

  #insertParts(sequence: number, body: Uint8Array): void {
    for (let part = 0; part * BODY_PART_BYTES < body.length; part++) {
      const bytes = body.subarray(part * BODY_PART_BYTES, (part + 1) * BODY_PART_BYTES)
      this.#storage.sql.exec(
        'INSERT INTO body_parts (sequence, part, bytes) VALUES (?, ?, ?)',
        sequence,
        part,
        bytes,
      )
    }
  }

  queuedTotals(): QueuedTotals {
    return this.#db
      .select({
        queued: sql<number>`count(*)`,
        queuedBytes: sql<number>`coalesce(sum(${runs.bodyBytes}), 0)`,
      })
      .from(runs)
      .where(sql.raw(schema.QUEUED))
      .get()!
  }

  /** Returns the oldest runs in progress. */
  runsInProgress(limit: number): Pick<RunRow, 'suffix' | 'attempt'>[] {
    return this.#storage.sql
      .exec<Pick<RunRow, 'suffix' | 'attempt'>>(
        `SELECT suffix, attempt FROM runs WHERE ${schema.RUNNING} ORDER BY sequence LIMIT ?`,
        limit,
      )
      .toArray()
  }

  /** Returns 0 if there are no runs. */
  lastQueuedAt(): number {
    const { queuedAt } = runs
    const row = this.#db.select({ queuedAt }).from(runs).orderBy(desc(runs.sequence)).limit(1).get()
    return row?.queuedAt ?? 0
  }

  /** Bypasses the slower query builder, as do all queries that delay the start of a run. */
  revision(number: number): RevisionRow {
    return this.#storage.sql
      .exec<RevisionRow>(
        `SELECT revision, action_cid AS actionCid, action_code AS actionCode, default_params AS defaultParams
         FROM revisions WHERE revision = ?`,
        number,
      )
      .one()
  }

  has(suffix: string): boolean {
    const found = this.#storage.sql.exec('SELECT 1 FROM runs WHERE suffix = ?', suffix).toArray()
    return found.length > 0
  }

  /** Returns the statuses of the runs that exist, by suffix. */
  statuses(suffixes: readonly string[]): Record<string, RunStatus> {
    const rows = this.#storage.sql.exec<{ suffix: string; status: RunStatus }>(
      'SELECT suffix, status FROM runs WHERE suffix IN (SELECT value FROM json_each(?))',
      JSON.stringify(suffixes),
    )
    return Object.fromEntries([...rows].map(({ suffix, status }) => [suffix, status]))
  }

  input(sequence: number): { firing: string; body: Uint8Array } {
    const { firing, body, bodyBytes } = this.#storage.sql
      .exec<{ firing: string; body: ArrayBuffer | null; bodyBytes: number }>(
        'SELECT firing, body, body_bytes AS bodyBytes FROM runs WHERE sequence = ?',
        sequence,
      )
      .one()
    const whole = body && new Uint8Array(body)
    return { firing, body: whole ?? this.#readBodyParts({ sequence, bodyBytes }) }
  }

  body(run: RunRow): Uint8Array {
    return run.body ?? this.#readBodyParts(run)
  }

  #readBodyParts(run: Pick<RunRow, 'sequence' | 'bodyBytes'>): Uint8Array {
    const parts = this.#db
      .select()
      .from(bodyParts)
      .where(eq(bodyParts.sequence, run.sequence))
      .orderBy(asc(bodyParts.part))
      .all()
    const body = new Uint8Array(run.bodyBytes)
    let at = 0
    for (const { bytes } of parts) {
      body.set(bytes, at)
      at += bytes.length
    }
    return body
  }

  result(run: Pick<RunRow, 'sequence' | 'result'>): RunResult | undefined {
    const stored = this.resultText(run)
    return stored === undefined ? undefined : (JSON.parse(stored) as RunResult)
  }

  /** Returns the `RunResult` as JSON. */
  resultText({ sequence, result }: Pick<RunRow, 'sequence' | 'result'>): string | undefined {
    return (
      result ?? this.#db.select().from(results).where(eq(results.sequence, sequence)).get()?.result
    )
  }

  bySuffix(suffix: string): RunRow | undefined {
    return this.#db.select().from(runs).where(eq(runs.suffix, suffix)).get()
  }

  /** Returns `undefined` if the run does not exist. */
  hasEnded(suffix: string): boolean | undefined {
    const { status } = runs
    const row = this.#db.select({ status }).from(runs).where(eq(runs.suffix, suffix)).get()
    return row && (row.status === 'success' || row.status === 'failed')
  }

  run(sequence: number): RunRow | undefined {
    return this.#db.select().from(runs).where(eq(runs.sequence, sequence)).get()
  }

  runWithoutBody(sequence: number): RunRow | undefined {
    return this.#db
      .select({ ...getTableColumns(runs), body: sql<null>`NULL` })
      .from(runs)
      .where(eq(runs.sequence, sequence))
      .get()
  }
}
