/** Each method is synchronous and runs in one transaction. */
import { CLOCK_TOLERANCE_MS, type Deadline } from '../../shared/deadline.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { RunResult, RunRow } from './records.ts'
import { fitsInRun } from './run-result.ts'
import type { RunKeys } from './run-keys.ts'
import { DUE, QUEUED, RUNNING } from './schema.ts'
import type { StoredStarts } from './start-window.ts'

/** The alarm renews the lease. If the object is killed, the lease expires and the run is resumed. */
export const LEASE_MS = 15_000

/** A queued or running run without its input, which is read only when the run is sent. */
export type LiveRun = Pick<
  RunRow,
  | 'sequence'
  | 'suffix'
  | 'revision'
  | 'bodyBytes'
  | 'attempt'
  | 'startedAt'
  | 'usageKey'
  | 'inDoubtSince'
>

export type RequeueFields = {
  attempt: number
  nextAttemptAt: number | null
  waitingFor: RunRow['waitingFor']
  /**
   * Time at which the last attempt with an unknown outcome was sent, or null if there is no such attempt. A run with an
   * unknown outcome is retried with the same usage key.
   */
  inDoubtSince: number | null
}

const LIVE_COLUMNS = `sequence, suffix, revision, body_bytes AS bodyBytes, attempt, started_at AS startedAt,
  usage_key AS usageKey, in_doubt_since AS inDoubtSince`

export class LiveRuns {
  readonly #storage: DurableObjectStorage
  readonly #starts: StoredStarts
  readonly #reports: PendingReports
  readonly #keys: RunKeys

  constructor(
    storage: DurableObjectStorage,
    starts: StoredStarts,
    reports: PendingReports,
    keys: RunKeys,
  ) {
    this.#storage = storage
    this.#starts = starts
    this.#reports = reports
    this.#keys = keys
  }

  /**
   * Returns the first due run in order of arrival. A run that waits for credit or for the origin counts as due, because
   * it does not wait for a particular time.
   * @param serial if true, considers only the oldest queued run that no event can join, and returns `undefined` while
   *   that run is not due
   */
  next(now: number, serial: boolean, blocked: readonly number[] = []): LiveRun | undefined {
    if (!serial && this.#keys.isActive) {
      const sequence = this.#keys.next(now, blocked)
      return sequence === undefined ? undefined : this.#bySequence(sequence)
    }
    const open = blocked.length > 0 ? `AND revision NOT IN (SELECT value FROM json_each(?3))` : ''
    const values = [now, now + CLOCK_TOLERANCE_MS, ...(open && [JSON.stringify(blocked)])]
    const [row] = serial
      ? this.#sql<{ sequence: number; due: number }>(
          `SELECT sequence, (${DUE} ${open}) AS due FROM runs
           WHERE ${QUEUED} AND sequence NOT IN (SELECT sequence FROM collecting WHERE due_at > ?1)
           ORDER BY sequence LIMIT 1`,
          values,
        )
      : this.#sql<{ sequence: number; due?: number }>(
          `SELECT sequence FROM runs WHERE ${QUEUED} AND ${DUE} ${open} ORDER BY sequence LIMIT 1`,
          values,
        )
    if (!row || row.due === 0) return undefined
    return this.#bySequence(row.sequence)
  }

  #bySequence(sequence: number): LiveRun | undefined {
    return this.#sql<LiveRun>(`SELECT ${LIVE_COLUMNS} FROM runs WHERE sequence = ?`, [sequence])[0]
  }

  anyQueued(): boolean {
    return this.#sql(`SELECT 1 FROM runs WHERE ${QUEUED} LIMIT 1`).length > 0
  }

  anyQueuedOf(revisions: readonly number[]): boolean {
    const found = this.#sql(
      `SELECT 1 FROM runs WHERE ${QUEUED} AND revision IN (SELECT value FROM json_each(?)) LIMIT 1`,
      [JSON.stringify(revisions)],
    )
    return found.length > 0
  }

  anyRunning(): boolean {
    return this.#sql(`SELECT 1 FROM runs WHERE ${RUNNING} LIMIT 1`).length > 0
  }

  nextRetryAt(now: number): number | undefined {
    const [row] = this.#sql<{ at: number | null }>(
      `SELECT min(next_attempt_at) AS at FROM runs
       WHERE ${QUEUED} AND waiting_for IS NULL AND next_attempt_at > ?`,
      [now],
    )
    return row?.at ?? undefined
  }

  longestWait(what: 'payment' | 'spend_cap' | 'key_limit' | 'origin'): Deadline | undefined {
    const [row] = this.#sql<{ since: number | null; until: number | null }>(
      `SELECT requeued_at AS since, max(next_attempt_at) AS until FROM runs
       WHERE ${QUEUED} AND waiting_for = ?`,
      [what],
    )
    return row?.until && row.since ? { since: row.since, until: row.until } : undefined
  }

  allowanceWaits(): (Deadline & { revision: number })[] {
    return this.#sql(
      `SELECT revision, requeued_at AS since, max(next_attempt_at) AS until FROM runs
       WHERE ${QUEUED} AND waiting_for = 'failed_execution_allowance' GROUP BY revision`,
    )
  }

  start(run: LiveRun, now: number, usageKey: number): LiveRun {
    const started = {
      ...run,
      attempt: run.attempt + 1,
      startedAt: run.startedAt ?? now,
      usageKey: run.usageKey ?? usageKey,
    }
    this.#storage.transactionSync(() => {
      this.#starts.add(now)
      this.#keys.start(run.sequence)
      this.#sql(
        `UPDATE runs SET status = 'running', attempt = ?, started_at = ?, lease_until = ?, usage_key = ?,
           next_attempt_at = NULL, requeued_at = NULL, waiting_for = NULL
         WHERE sequence = ?`,
        [started.attempt, started.startedAt, now + LEASE_MS, started.usageKey, run.sequence],
      )
    })
    return started
  }

  extendLeases(sequences: Iterable<number>, now: number): void {
    for (const sequence of sequences)
      this.#sql(`UPDATE runs SET lease_until = ? WHERE sequence = ? AND status = 'running'`, [
        now + LEASE_MS,
        sequence,
      ])
  }

  /**
   * Returns the runs that are marked as running but are not in flight. Marks their outcomes as unknown, because the
   * last attempt may have started these runs. The leases of the runs in flight must be renewed before this call.
   * @param leased if true, also returns runs with an unexpired lease, because a previous incarnation of the object
   * started them
   */
  recoverAbandoned(now: number, leased: boolean): LiveRun[] {
    const values = [now, leased ? 1 : 0, now + LEASE_MS + CLOCK_TOLERANCE_MS]
    const gone = `(?2 OR lease_until IS NULL OR lease_until <= ?1 OR lease_until > ?3)`
    // Avoids the write if no run has been abandoned, which is the usual case.
    const any = this.#sql(`SELECT 1 FROM runs WHERE ${RUNNING} AND ${gone} LIMIT 1`, values)
    if (any.length === 0) return []
    return this.#storage.transactionSync(() => {
      this.#sql(
        `UPDATE runs SET in_doubt_since = min(ifnull(lease_until, ?1), ?1)
         WHERE ${RUNNING} AND in_doubt_since IS NULL AND ${gone}`,
        values,
      )
      return this.#sql<LiveRun>(
        `SELECT ${LIVE_COLUMNS} FROM runs WHERE ${RUNNING} AND ${gone} ORDER BY sequence`,
        values,
      )
    })
  }

  renewDoubt(run: LiveRun, now: number): void {
    this.#sql(
      `UPDATE runs SET in_doubt_since = ? WHERE sequence = ? AND status = 'running' AND attempt = ?`,
      [now, run.sequence, run.attempt],
    )
  }

  /**
   * Called when earlier attempts did not start the run and can no longer start it. Clears the mark of an unknown
   * outcome, and assigns `usageKey` to the run.
   */
  dispelDoubt(run: LiveRun, usageKey: number): LiveRun {
    this.#sql(
      `UPDATE runs SET usage_key = ?, in_doubt_since = NULL
       WHERE sequence = ? AND status = 'running' AND attempt = ?`,
      [usageKey, run.sequence, run.attempt],
    )
    return { ...run, usageKey, inDoubtSince: null }
  }

  /** @returns `undefined` if `run.attempt` is no longer the current attempt */
  finish(
    run: LiveRun,
    status: 'success' | 'failed',
    result: RunResult,
    now: number,
  ): { isTest: boolean } | undefined {
    const text = JSON.stringify(result)
    const inRun = fitsInRun(text) ? text : null
    return this.#storage.transactionSync(() => {
      const [ended] = this.#sql<{ test: number }>(
        `UPDATE runs SET status = ?, finished_at = ?, result = ?, lease_until = NULL, usage_key = NULL,
           in_doubt_since = NULL
         WHERE sequence = ? AND status = 'running' AND attempt = ? RETURNING test`,
        [status, now, inRun, run.sequence, run.attempt],
      )
      if (!ended) return undefined
      if (inRun === null)
        this.#sql('INSERT INTO results (sequence, result) VALUES (?, ?)', [run.sequence, text])
      this.#keys.end([run.sequence])
      if (status === 'failed') this.#reports.addFailedRun(run.sequence, result.error ?? '')
      return { isTest: ended.test === 1 }
    })
  }

  /** @returns false if `run.attempt` is no longer the current attempt */
  requeue(run: LiveRun, to: RequeueFields, now: number): boolean {
    if (!this.#keys.isActive) return this.#requeue(run, to, now)
    return this.#storage.transactionSync(() => {
      const isBack = this.#requeue(run, to, now)
      if (isBack) this.#keys.requeue(run.sequence)
      return isBack
    })
  }

  #requeue(run: LiveRun, to: RequeueFields, now: number): boolean {
    const { attempt, nextAttemptAt, waitingFor, inDoubtSince } = to
    const usageKey = inDoubtSince === null ? null : run.usageKey
    const back = this.#sql(
      `UPDATE runs SET status = 'queued', attempt = ?, next_attempt_at = ?, waiting_for = ?, in_doubt_since = ?,
         usage_key = ?, requeued_at = ?, lease_until = NULL
       WHERE sequence = ? AND status = 'running' AND attempt = ? RETURNING 1`,
      [attempt, nextAttemptAt, waitingFor, inDoubtSince, usageKey, now, run.sequence, run.attempt],
    )
    return back.length === 1
  }

  /** Deletes the sealed usage keys that neither the trigger nor a queued or running run needs. */
  dropUnusedKeys(current: number): void {
    const others = this.#sql('SELECT 1 FROM usage_keys WHERE id <> ? LIMIT 1', [current])
    if (others.length === 0) return
    this.#sql(
      `DELETE FROM usage_keys WHERE id <> ? AND id NOT IN (
         SELECT usage_key FROM runs WHERE ${QUEUED} AND usage_key IS NOT NULL
         UNION SELECT usage_key FROM runs WHERE ${RUNNING} AND usage_key IS NOT NULL)`,
      [current],
    )
  }

  #sql<Row extends object = object>(query: string, values: SqlStorageValue[] = []): Row[] {
    return this.#storage.sql.exec(query, ...values).toArray() as unknown as Row[]
  }
}
