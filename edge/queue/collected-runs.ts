import {
  BODY_PART_BYTES,
  DEBOUNCE_WAIT_MAX_MS,
  WEBHOOK_BODY_MAX_BYTES,
} from '../../shared/limits.ts'
import { recordDelivery } from './deliveries.ts'
import { insertRunKey } from './run-key-rows.ts'
import type { NewRun } from './run-store.ts'

/** How an event joins a run that is queued, but not due yet. */
export type CollectRule =
  /** The event replaces the earlier event of the run, and delays it. */
  | { kind: 'debounce'; key: string; ms: number }
  /** The event is appended to the run. */
  | { kind: 'batch'; maxEvents: number; maxMs: number }

export type CollectedEvent = NewRun & { collect: CollectRule }

/** `suffix` identifies the run that has the event. `replacedBytes` are those of the event that it replaced. */
export type Collected = { suffix: string; joined: boolean; replacedBytes: number; dueAt: number }

type OpenRun = {
  sequence: number
  suffix: string
  revision: number
  opened_at: number
  due_at: number
  events: number
  parts: number
  bytes: number
}

const BATCH_KEY = 'batch'
/** Runs of earlier keys that are forgotten when a run is opened. */
const CLEANUP_MAX = 32

/** Condition for a run that has never been started. A run that was cancelled is not queued. */
const IS_WAITING = `status = 'queued' AND started_at IS NULL`

/**
 * Adds events to runs that are queued and wait for further events (`options.debounce_ms`, `options.batch`). Such a run
 * is an ordinary run whose first attempt is due later, so it survives evictions, and can be cancelled and purged.
 * Each method is synchronous and must be called in the transaction that stores a batch of runs.
 */
export class CollectedRuns {
  readonly #sql: SqlStorage
  readonly #isKeyed: () => boolean

  /** @param isKeyed returns true if each run needs a row in `run_keys` */
  constructor(sql: SqlStorage, isKeyed: () => boolean) {
    this.#sql = sql
    this.#isKeyed = isKeyed
  }

  add(event: CollectedEvent): Collected {
    const { collect, delivery, queuedAt } = event
    const key = collect.kind === 'batch' ? BATCH_KEY : collect.key
    const open = this.#openRun(key, queuedAt)
    const collected =
      (open &&
        (collect.kind === 'batch'
          ? this.#append(event, collect, open)
          : this.#replace(event, collect, key, open))) ??
      this.#open(event, key)
    if (delivery !== undefined) recordDelivery(this.#sql, delivery, collected.suffix, queuedAt)
    return collected
  }

  #openRun(key: string, now: number): OpenRun | undefined {
    const [open] = this.#sql.exec<OpenRun>('SELECT * FROM collecting WHERE key = ?', key).toArray()
    return open && open.due_at > now ? open : undefined
  }

  #append(
    { body, revision }: CollectedEvent,
    { maxEvents }: Extract<CollectRule, { kind: 'batch' }>,
    open: OpenRun,
  ): Collected | undefined {
    const { sequence, suffix, due_at: dueAt, parts } = open
    const bytes = open.bytes + body.length
    if (revision !== open.revision || open.events >= maxEvents || bytes > WEBHOOK_BODY_MAX_BYTES) {
      this.#close(sequence)
      return undefined
    }
    const isFull = open.events + 1 >= maxEvents
    if (!this.#update(sequence, 'body_bytes = ?', bytes)) return undefined
    const added = insertParts(this.#sql, sequence, parts, body)
    if (isFull) this.#close(sequence)
    else
      this.#sql.exec(
        'UPDATE collecting SET events = events + 1, parts = ?, bytes = ? WHERE sequence = ?',
        parts + added,
        bytes,
        sequence,
      )
    return { suffix, joined: true, replacedBytes: 0, dueAt }
  }

  #replace(
    { body, firing, queuedAt, revision }: CollectedEvent,
    { ms }: Extract<CollectRule, { kind: 'debounce' }>,
    key: string,
    open: OpenRun,
  ): Collected | undefined {
    const { sequence, suffix } = open
    const dueAt = Math.min(queuedAt + ms, open.opened_at + DEBOUNCE_WAIT_MAX_MS)
    const whole = body.length <= BODY_PART_BYTES
    const set =
      'firing = ?, body = ?, body_bytes = ?, revision = ?, next_attempt_at = ?, requeued_at = ?'
    const inRow = whole ? body : null
    if (!this.#update(sequence, set, firing, inRow, body.length, revision, dueAt, queuedAt))
      return undefined
    this.#sql.exec('DELETE FROM body_parts WHERE sequence = ?', sequence)
    if (!whole) insertParts(this.#sql, sequence, 0, body)
    this.#sql.exec(
      'UPDATE collecting SET due_at = ?, events = events + 1, bytes = ? WHERE key = ?',
      dueAt,
      body.length,
      key,
    )
    return { suffix, joined: true, replacedBytes: open.bytes, dueAt }
  }

  #open(event: CollectedEvent, key: string): Collected {
    const { body, collect, firing, queuedAt, revision, suffix } = event
    const dueAt = queuedAt + (collect.kind === 'batch' ? collect.maxMs : collect.ms)
    const isInParts = collect.kind === 'batch' || body.length > BODY_PART_BYTES
    const { sequence } = this.#sql
      .exec<{ sequence: number }>(
        `INSERT INTO runs (suffix, status, revision, queued_at, firing, body, body_bytes, attempt, next_attempt_at, requeued_at)
         VALUES (?, 'queued', ?, ?, ?, ?, ?, 0, ?, ?) RETURNING sequence`,
        suffix,
        revision,
        queuedAt,
        firing,
        isInParts ? null : body,
        body.length,
        dueAt,
        queuedAt,
      )
      .one()
    const parts = isInParts ? insertParts(this.#sql, sequence, 0, body) : 0
    if (this.#isKeyed()) insertRunKey(this.#sql, sequence, null)
    this.#sql.exec(
      'DELETE FROM collecting WHERE key IN (SELECT key FROM collecting WHERE due_at <= ? LIMIT ?)',
      queuedAt,
      CLEANUP_MAX,
    )
    this.#sql.exec(
      `INSERT OR REPLACE INTO collecting (key, sequence, suffix, revision, opened_at, due_at, events, parts, bytes)
       VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`,
      key,
      sequence,
      suffix,
      revision,
      queuedAt,
      dueAt,
      parts,
      body.length,
    )
    return { suffix, joined: false, replacedBytes: 0, dueAt }
  }

  /** Makes the run due now. */
  #close(sequence: number): void {
    this.#update(sequence, 'next_attempt_at = NULL')
    this.#sql.exec('DELETE FROM collecting WHERE sequence = ?', sequence)
  }

  /** @returns false if the run was started, cancelled or purged in the meantime */
  #update(
    sequence: number,
    set: string,
    ...values: (string | number | Uint8Array | null)[]
  ): boolean {
    const query = `UPDATE runs SET ${set} WHERE sequence = ? AND ${IS_WAITING} RETURNING 1`
    return this.#sql.exec(query, ...values, sequence).toArray().length > 0
  }
}

/** @returns the number of parts */
function insertParts(sql: SqlStorage, sequence: number, first: number, body: Uint8Array): number {
  let count = 0
  for (let at = 0; at < body.length; at += BODY_PART_BYTES)
    sql.exec(
      'INSERT INTO body_parts (sequence, part, bytes) VALUES (?, ?, ?)',
      sequence,
      first + count++,
      body.subarray(at, at + BODY_PART_BYTES),
    )
  return count
}
