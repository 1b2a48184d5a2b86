/** Each method is synchronous and must be called in the transaction that changes the run. */
import { CLOCK_TOLERANCE_MS } from '../../shared/deadline.ts'
import { DUE } from './live-runs.ts'
import { parseTriggerOptions } from './records.ts'
import { QUEUED, RUN_KEY_READY } from './schema.ts'
import type { TriggerState } from './trigger-state.ts'

/** States of unfinished runs, in the column `state`. */
const STATE = {
  /** Queued behind another run with the same key. */
  parked: 0,
  /** Queued, and the first of its key. */
  ready: 1,
  running: 2,
  /** Queued for a retry, while other runs with the same key may run. Only for `concurrency_key`. */
  retrying: 3,
} as const

/** Condition for a run that keeps later runs with the same key parked. */
const HOLDS_KEY = `state IN (${STATE.ready}, ${STATE.running})`

/**
 * Keys of unfinished runs (`options.concurrency_key`, `options.order_key`). Of the queued runs with the same key, only
 * the first is ready, so that finding the next run does not have to skip the runs of busy keys. A trigger has these
 * rows only if the column `keyed` is set. Then each unfinished run has a row.
 */
export class RunKeys {
  readonly #sql: SqlStorage
  readonly #state: TriggerState

  constructor(sql: SqlStorage, state: TriggerState) {
    this.#sql = sql
    this.#state = state
  }

  get isActive(): boolean {
    return this.#state.current?.keyed === true
  }

  /**
   * Returns the first run in order of arrival that is due and whose key is free.
   * @param blocked revisions whose runs must not start
   */
  next(now: number, blocked: readonly number[]): number | undefined {
    for (;;) {
      const [first] = this.#query<{ sequence: number; key: string | null }>(
        `SELECT sequence, key FROM run_keys WHERE ${RUN_KEY_READY} AND EXISTS (
           SELECT 1 FROM runs WHERE ${QUEUED} AND runs.sequence = run_keys.sequence AND ${DUE}
             AND revision NOT IN (SELECT value FROM json_each(?3)))
         ORDER BY sequence LIMIT 1`,
        now,
        now + CLOCK_TOLERANCE_MS,
        JSON.stringify(blocked),
      )
      if (!first || first.key === null || !this.#isRunning(first.key)) return first?.sequence
      // A retry came due while another run with its key is running.
      this.#setState(first.sequence, STATE.parked)
    }
  }

  start(sequence: number): void {
    if (this.isActive) this.#setState(sequence, STATE.running)
  }

  requeue(sequence: number): void {
    if (!this.isActive) return
    const [run] = this.#query<{ key: string | null }>(
      'SELECT key FROM run_keys WHERE sequence = ?',
      sequence,
    )
    const key = run?.key ?? null
    if (key === null || isOrdered(key)) return this.#setState(sequence, STATE.ready)
    this.#setState(sequence, STATE.retrying)
    this.#promoteNext(key)
  }

  /** Called when runs have finished, or were cancelled. */
  end(sequences: readonly number[]): void {
    if (!this.isActive || sequences.length === 0) return
    const ended = this.#query<{ key: string | null; state: number }>(
      'DELETE FROM run_keys WHERE sequence IN (SELECT value FROM json_each(?)) RETURNING key, state',
      JSON.stringify(sequences),
    )
    const released = ended.filter(({ state }) => state !== STATE.parked).map(({ key }) => key)
    for (const key of new Set(released)) if (key !== null) this.#promoteNext(key)
    this.#deactivateIfUnused()
  }

  /** A trigger without the options stays active until the runs that still have keys are finished. */
  #deactivateIfUnused(): void {
    const { current } = this.#state
    if (!current || hasRunKey(parseTriggerOptions(current))) return
    if (this.#query('SELECT 1 FROM run_keys LIMIT 1').length === 0)
      this.#state.updateFields({ keyed: false })
  }

  #promoteNext(key: string): void {
    this.#sql.exec(
      `UPDATE run_keys SET state = ${STATE.ready}
       WHERE sequence = (SELECT min(sequence) FROM run_keys WHERE key = ?1 AND state = ${STATE.parked})
         AND NOT EXISTS (SELECT 1 FROM run_keys WHERE key = ?1 AND ${HOLDS_KEY})`,
      key,
    )
  }

  #isRunning(key: string): boolean {
    const query = `SELECT 1 FROM run_keys WHERE key = ? AND state = ${STATE.running} LIMIT 1`
    return this.#query(query, key).length > 0
  }

  #setState(sequence: number, state: number): void {
    this.#sql.exec('UPDATE run_keys SET state = ? WHERE sequence = ?', state, sequence)
  }

  #query<Row extends object = object>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as unknown as Row[]
  }
}

export function hasRunKey(options: { concurrency_key?: unknown; order_key?: unknown }): boolean {
  return options.concurrency_key !== undefined || options.order_key !== undefined
}

/** @param key null if the run may run beside any other */
export function insertRunKey(sql: SqlStorage, sequence: number, key: string | null): void {
  // A retry of `concurrency_key` does not hold its key. Parked runs always wait for a run that does.
  const isHeld =
    key !== null &&
    sql
      .exec(
        `SELECT 1 FROM run_keys WHERE key = ?1 AND (?2 OR state <> ${STATE.retrying}) LIMIT 1`,
        key,
        isOrdered(key) ? 1 : 0,
      )
      .toArray().length > 0
  sql.exec(
    'INSERT INTO run_keys (sequence, key, state) VALUES (?, ?, ?)',
    sequence,
    key,
    isHeld ? STATE.parked : STATE.ready,
  )
}

/** Adds the unfinished runs of a trigger that has not had keys before. They run beside any others. */
export function insertUnfinishedRuns(sql: SqlStorage, live: string): void {
  sql.exec(
    `INSERT OR IGNORE INTO run_keys (sequence, key, state)
     SELECT sequence, NULL, iif(status = 'running', ${STATE.running}, ${STATE.ready}) FROM runs WHERE ${live}`,
  )
}

function isOrdered(key: string): boolean {
  return key.startsWith('order_key')
}
