/** Each method is synchronous and must be called in the transaction that changes the run. */
import { CLOCK_TOLERANCE_MS } from '../../shared/deadline.ts'
import { parseTriggerOptions, type TriggerRow } from './records.ts'
import { hasRunKey, isOrdered, KEY_STATE } from './run-key-rows.ts'
import { DUE, QUEUED, RUN_KEY_READY } from './schema.ts'

/** The part of `TriggerState` that is needed. */
type KeyedTrigger = {
  readonly current: Pick<TriggerRow, 'keyed' | 'options'> | undefined
  updateFields(fields: { keyed: boolean }): void
}

/** Condition for a run that keeps later runs with the same key parked. */
const HOLDS_KEY = `state IN (${KEY_STATE.ready}, ${KEY_STATE.running})`

/**
 * Keys of unfinished runs (`options.concurrency_key`, `options.order_key`). Of the queued runs with the same key, only
 * the first is ready, so that finding the next run does not have to skip the runs of busy keys. A trigger has these
 * rows only if the column `keyed` is set. Then each unfinished run has a row.
 */
export class RunKeys {
  readonly #sql: SqlStorage
  readonly #state: KeyedTrigger

  constructor(sql: SqlStorage, state: KeyedTrigger) {
    this.#sql = sql
    this.#state = state
  }

  /** False for triggers without the options. They have no rows, and no statement is executed for them. */
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
      this.#setState(first.sequence, KEY_STATE.parked)
    }
  }

  start(sequence: number): void {
    if (this.isActive) this.#setState(sequence, KEY_STATE.running)
  }

  requeue(sequence: number): void {
    if (!this.isActive) return
    const [run] = this.#query<{ key: string | null }>(
      'SELECT key FROM run_keys WHERE sequence = ?',
      sequence,
    )
    const key = run?.key ?? null
    if (key === null || isOrdered(key)) return this.#setState(sequence, KEY_STATE.ready)
    this.#setState(sequence, KEY_STATE.retrying)
    this.#promoteNext(key)
  }

  /** Called when runs have finished, or were cancelled. */
  end(sequences: readonly number[]): void {
    if (!this.isActive || sequences.length === 0) return
    const ended = this.#query<{ key: string | null; state: number }>(
      'DELETE FROM run_keys WHERE sequence IN (SELECT value FROM json_each(?)) RETURNING key, state',
      JSON.stringify(sequences),
    )
    const released = ended.filter(({ state }) => state !== KEY_STATE.parked).map(({ key }) => key)
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
      `UPDATE run_keys SET state = ${KEY_STATE.ready}
       WHERE sequence = (SELECT min(sequence) FROM run_keys WHERE key = ?1 AND state = ${KEY_STATE.parked})
         AND NOT EXISTS (SELECT 1 FROM run_keys WHERE key = ?1 AND ${HOLDS_KEY})`,
      key,
    )
  }

  #isRunning(key: string): boolean {
    const query = `SELECT 1 FROM run_keys WHERE key = ? AND state = ${KEY_STATE.running} LIMIT 1`
    return this.#query(query, key).length > 0
  }

  #setState(sequence: number, state: number): void {
    this.#sql.exec('UPDATE run_keys SET state = ? WHERE sequence = ?', state, sequence)
  }

  #query<Row extends object = object>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as unknown as Row[]
  }
}
