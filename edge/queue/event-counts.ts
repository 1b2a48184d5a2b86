import { HOUR_MS } from '../../shared/durations.ts'

/** Outcomes of events that did not start a run of their own, or whose expressions failed. */
const COUNTED = ['filtered', 'filter_errors', 'key_errors', 'deduplicated'] as const
export type EventOutcome = (typeof COUNTED)[number]

export type EventTotals = Record<EventOutcome, number> & {
  /** The most recent expression that failed on an event. Null if none did. */
  lastError: { at: number; text: string } | null
}

/** Delay before counts are written, so that many events cost one row. An eviction loses the counts of this time. */
const WRITE_DELAY_MS = 5_000
const ERROR_MAX_CHARACTERS = 300

type EventCountsOptions = { sql: SqlStorage; now: () => number; armBy: (at: number) => void }

/** Counts events by outcome, for the statistics of a trigger. There is one row for each hour. */
export class EventCounts {
  readonly #options: EventCountsOptions
  #pending = noEvents()
  #writeAt: number | undefined

  constructor(options: EventCountsOptions) {
    this.#options = options
  }

  add(outcome: EventOutcome): void {
    this.#pending[outcome]++
    if (this.#writeAt !== undefined) return
    const { armBy, now } = this.#options
    this.#writeAt = now() + WRITE_DELAY_MS
    armBy(this.#writeAt)
  }

  /** @param text name of the option, and the error */
  addError(outcome: 'filter_errors' | 'key_errors', text: string): void {
    const at = this.#options.now()
    this.#pending.lastError = { at, text: text.slice(0, ERROR_MAX_CHARACTERS) }
    this.add(outcome)
  }

  /** Writes the pending counts, and deletes the rows that no longer count. */
  runDue(now: number, windowMs: number): number | undefined {
    if (this.#writeAt === undefined) return undefined
    // The second condition applies if the clock was set back.
    if (now < this.#writeAt && this.#writeAt - now <= WRITE_DELAY_MS) return this.#writeAt
    const { sql } = this.#options
    const { lastError, ...counts } = this.#pending
    const hour = Math.floor(now / HOUR_MS)
    sql.exec(
      `INSERT INTO event_counts (hour, filtered, filter_errors, key_errors, deduplicated, last_error, last_error_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (hour) DO UPDATE SET filtered = filtered + excluded.filtered,
         filter_errors = filter_errors + excluded.filter_errors, key_errors = key_errors + excluded.key_errors,
         deduplicated = deduplicated + excluded.deduplicated,
         last_error = coalesce(excluded.last_error, last_error),
         last_error_at = coalesce(excluded.last_error_at, last_error_at)`,
      hour,
      ...COUNTED.map((name) => counts[name]),
      lastError?.text ?? null,
      lastError?.at ?? null,
    )
    sql.exec('DELETE FROM event_counts WHERE hour < ?', hour - Math.ceil(windowMs / HOUR_MS))
    this.#pending = noEvents()
    this.#writeAt = undefined
    return undefined
  }

  /** Returns the totals of the events since `since`, rounded down to the hour, in Unix milliseconds. */
  read(since: number): EventTotals {
    const rows = this.#options.sql
      .exec<
        Record<EventOutcome, number> & { last_error: string | null; last_error_at: number | null }
      >('SELECT * FROM event_counts WHERE hour >= ? ORDER BY hour', Math.floor(since / HOUR_MS))
      .toArray()
    const totals = { ...this.#pending }
    for (const { last_error: text, last_error_at: at, ...counts } of rows.toReversed()) {
      for (const name of COUNTED) totals[name] += counts[name]
      if (text !== null && at !== null) totals.lastError ??= { at, text }
    }
    return totals
  }
}

function noEvents(): EventTotals {
  return { filtered: 0, filter_errors: 0, key_errors: 0, deduplicated: 0, lastError: null }
}
