/** Rows of the table `run_keys`. Each function must be called in the transaction that inserts or changes the run. */
import { LIVE } from './schema.ts'

/** States of unfinished runs, in the column `state`. */
export const KEY_STATE = {
  /** Queued behind another run with the same key. */
  parked: 0,
  /** Queued, and the first of its key. */
  ready: 1,
  running: 2,
  /** Queued for a retry, while other runs with the same key may run. Only for `concurrency_key`. */
  retrying: 3,
} as const

export function hasRunKey(options: {
  concurrency_key?: string | undefined
  order_key?: string | undefined
}): boolean {
  return options.concurrency_key !== undefined || options.order_key !== undefined
}

/** Returns true if the key keeps the order of its runs, even while one waits for a retry. */
export function isOrdered(key: string): boolean {
  return key.startsWith('order_key')
}

/** @param key null if the run may run beside any other */
export function insertRunKey(sql: SqlStorage, sequence: number, key: string | null): void {
  // A retry of `concurrency_key` does not hold its key. Parked runs always wait for a run that does.
  const isHeld =
    key !== null &&
    sql
      .exec(
        `SELECT 1 FROM run_keys WHERE key = ? AND (? OR state <> ${KEY_STATE.retrying}) LIMIT 1`,
        key,
        isOrdered(key) ? 1 : 0,
      )
      .toArray().length > 0
  sql.exec(
    'INSERT INTO run_keys (sequence, key, state) VALUES (?, ?, ?)',
    sequence,
    key,
    isHeld ? KEY_STATE.parked : KEY_STATE.ready,
  )
}

/** Adds the unfinished runs of a trigger that had no keys before. They run beside any others. */
export function insertUnfinishedRuns(sql: SqlStorage): void {
  sql.exec(
    `INSERT OR IGNORE INTO run_keys (sequence, key, state)
     SELECT sequence, NULL, iif(status = 'running', ${KEY_STATE.running}, ${KEY_STATE.ready})
     FROM runs WHERE ${LIVE}`,
  )
}
