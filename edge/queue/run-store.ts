/** The runs of one trigger on disk. Every method is one transaction, and synchronous. */
import { and, asc, desc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite'
import { BODY_PART_BYTES } from '../../shared/limits.ts'
import { PACE_WINDOW_MS } from './pace.ts'
import type { RevisionRow, RunResult, RunRow } from './records.ts'
import * as schema from './schema.ts'

const { bodyParts, results, revisions, runs, starts } = schema

export type QueueDatabase = DrizzleSqliteDODatabase<typeof schema>

export type ArrivedRun = {
  suffix: string
  revision: number
  queuedAt: number
  firing: string
  body: Uint8Array
  test?: boolean | undefined
  replayOf?: string | undefined
}

export type LiveCounts = { queued: number; queuedBytes: number }

export class RunStore {
  readonly #storage: DurableObjectStorage
  readonly #db: QueueDatabase

  constructor(storage: DurableObjectStorage, db: QueueDatabase) {
    this.#storage = storage
    this.#db = db
  }

  /** The intake's own statement, without the query builder: it is what a sender waits for. */
  insert(batch: readonly ArrivedRun[]): void {
    this.#storage.transactionSync(() => {
      for (const run of batch) {
        const whole = run.body.length <= BODY_PART_BYTES
        this.#storage.sql.exec(
          `INSERT INTO runs (suffix, status, revision, queued_at, firing, body, body_bytes, attempt, test, replay_of)
           VALUES (?, 'queued', ?, ?, ?, ?, ?, 0, ?, ?)`,
          run.suffix,
          run.revision,
          run.queuedAt,
          run.firing,
          whole ? run.body : null,
          run.body.length,
          run.test ? 1 : 0,
          run.replayOf ?? null,
        )
        if (!whole) this.#insertParts(run.body)
      }
    })
  }

  /** The parts of the run that was inserted last. */
  #insertParts(body: Uint8Array): void {
    const last = this.#storage.sql.exec('SELECT last_insert_rowid() AS sequence').one()
    const sequence = last.sequence as number
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

  liveCounts(): LiveCounts {
    return this.#db
      .select({
        queued: sql<number>`count(*)`,
        queuedBytes: sql<number>`coalesce(sum(${runs.bodyBytes}), 0)`,
      })
      .from(runs)
      .where(eq(runs.status, 'queued'))
      .get()!
  }

  /** When the youngest run was queued; 0 where there is none. */
  lastQueuedAt(): number {
    const [sequence] = this.page(1, 0)
    return sequence === undefined ? 0 : this.bySequence(sequence)!.queuedAt
  }

  /** Queued runs that are due, in the order in which they came. */
  due(now: number, limit: number): RunRow[] {
    const waited = or(isNull(runs.nextAttemptAt), lte(runs.nextAttemptAt, now))
    return this.#db
      .select()
      .from(runs)
      .where(and(eq(runs.status, 'queued'), waited))
      .orderBy(asc(runs.sequence))
      .limit(limit)
      .all()
  }

  /** Runs under way. @param leaseEndedBy only those whose lease had ended then: nobody carries them */
  running(leaseEndedBy?: number): RunRow[] {
    const ended = leaseEndedBy === undefined ? undefined : lte(runs.leaseUntil, leaseEndedBy)
    return this.#db
      .select()
      .from(runs)
      .where(and(eq(runs.status, 'running'), ended))
      .all()
  }

  /** When the first waiting retry is due. */
  nextRetryAt(now: number): number | undefined {
    const row = this.#db
      .select({ at: sql<number | null>`min(${runs.nextAttemptAt})` })
      .from(runs)
      .where(and(eq(runs.status, 'queued'), gt(runs.nextAttemptAt, now)))
      .get()
    return row?.at ?? undefined
  }

  /** Marks a run as running, with its attempt, its lease and its place in the pace window. */
  start(run: RunRow, now: number, leaseUntil: number): RunRow {
    return this.#storage.transactionSync(() => {
      this.#db.insert(starts).values({ at: now }).run()
      this.#db
        .delete(starts)
        .where(lte(starts.at, now - PACE_WINDOW_MS))
        .run()
      return this.#db
        .update(runs)
        .set({
          status: 'running',
          attempt: run.attempt + 1,
          startedAt: run.startedAt ?? now,
          leaseUntil,
          nextAttemptAt: null,
        })
        .where(eq(runs.sequence, run.sequence))
        .returning()
        .get()
    })
  }

  extendLeases(sequences: readonly number[], leaseUntil: number): void {
    if (sequences.length === 0) return
    this.#db
      .update(runs)
      .set({ leaseUntil })
      .where(and(inArray(runs.sequence, [...sequences]), eq(runs.status, 'running')))
      .run()
  }

  recentStarts(now: number): number[] {
    const rows = this.#db
      .select({ at: starts.at })
      .from(starts)
      .where(gt(starts.at, now - PACE_WINDOW_MS))
      .orderBy(asc(starts.id))
      .all()
    return rows.map((row) => row.at)
  }

  /** Ends a run, if this attempt of it is still the one under way. @returns whether it was */
  finish(run: RunRow, status: 'success' | 'failed', result: RunResult, now: number): boolean {
    return this.#storage.transactionSync(() => {
      const ended = this.#db
        .update(runs)
        .set({ status, finishedAt: now, leaseUntil: null })
        .where(this.#attempt(run))
        .returning({ sequence: runs.sequence })
        .all()
      if (ended.length === 0) return false
      this.#db
        .insert(results)
        .values({ sequence: run.sequence, result: JSON.stringify(result) })
        .run()
      return true
    })
  }

  /** Puts a run back into the queue. @param attempt how many attempts it has used */
  requeue(run: RunRow, attempt: number, nextAttemptAt: number | null): boolean {
    const back = this.#db
      .update(runs)
      .set({ status: 'queued', attempt, leaseUntil: null, nextAttemptAt })
      .where(this.#attempt(run))
      .returning({ sequence: runs.sequence })
      .all()
    return back.length === 1
  }

  revision(number: number): RevisionRow {
    return this.#db.select().from(revisions).where(eq(revisions.revision, number)).get()!
  }

  body(run: RunRow): Uint8Array {
    if (run.body) return run.body
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

  result(sequence: number): RunResult | undefined {
    const row = this.#db.select().from(results).where(eq(results.sequence, sequence)).get()
    return row && (JSON.parse(row.result) as RunResult)
  }

  bySuffix(suffix: string): RunRow | undefined {
    return this.#db.select().from(runs).where(eq(runs.suffix, suffix)).get()
  }

  bySequence(sequence: number): RunRow | undefined {
    return this.#db.select().from(runs).where(eq(runs.sequence, sequence)).get()
  }

  /** The runs of a page, newest first, by their sequence: a page of rows with bodies is too much at once. */
  page(limit: number, offset: number): number[] {
    const rows = this.#db
      .select({ sequence: runs.sequence })
      .from(runs)
      .orderBy(desc(runs.sequence))
      .limit(limit)
      .offset(offset)
      .all()
    return rows.map((row) => row.sequence)
  }

  #attempt(run: RunRow) {
    return and(
      eq(runs.sequence, run.sequence),
      eq(runs.status, 'running'),
      eq(runs.attempt, run.attempt),
    )
  }
}
