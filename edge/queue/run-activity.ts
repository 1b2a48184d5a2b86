import type { ActivityReport, LastRun, QueuedRuns, TriggerActivity } from '../reports/activity.ts'
import { isEndPast } from '../deadline.ts'
import { isFailing } from './recent-failures.ts'
import type { TriggerState } from './trigger-state.ts'

/**
 * Minimum time between two reports of a trigger, and therefore the maximum age of what lists show. A shorter interval
 * would cost busy triggers more reports.
 */
export const ACTIVITY_INTERVAL_MS = 15_000

/** The first change after an interval is reported with the alarm that each new run sets anyway. */
export const ACTIVITY_DELAY_MS = 2_000

/** Maximum runs in one report: about 20 KB. */
const RUNS_PER_REPORT = 2_000

/** Maximum runs in the first report, before the owner's object has acknowledged any. */
const RUNS_AFTER_LOAD = 20

type RunActivityOptions = {
  state: Pick<TriggerState, 'current'>
  sql: Pick<SqlStorage, 'exec'>
  /** Counts of the runs that finished in the last 24 hours. */
  counts: () => Pick<TriggerActivity, 'hours' | 'p50Ms' | 'p95Ms'>
  now: () => number
  armBy: (at: number) => void
}

/**
 * Reports the activity of a trigger, and which runs it has, to the object of its owner. No state is stored: the
 * report is computed from the runs, and after the object was loaded, it is always sent once.
 */
export class RunActivity {
  readonly #options: RunActivityOptions
  /** Undefined until it is known whether the trigger has runs. */
  #isChanged: boolean | undefined
  #reportedAt = Number.NEGATIVE_INFINITY
  /** Highest sequence number that the owner's object knows. Undefined after the object was loaded. */
  #knownThrough: number | undefined

  constructor(options: RunActivityOptions) {
    this.#options = options
  }

  /** Called when a run was queued. The intake sets an alarm for new runs, so this does not. */
  recordQueued(): void {
    this.#isChanged = true
  }

  /** Called when a run has started or ended. */
  recordChange(): void {
    this.#isChanged = true
    const now = this.#options.now()
    this.#options.armBy(Math.max(now + ACTIVITY_DELAY_MS, this.#dueAt(now)))
  }

  isDue(): boolean {
    const now = this.#options.now()
    return this.#changed() && this.#dueAt(now) <= now
  }

  /** Returns the time at which the next report is due; `undefined` if it is due already, or nothing has changed. */
  runDue(now: number): number | undefined {
    const dueAt = this.#dueAt(now)
    return this.#changed() && dueAt > now ? dueAt : undefined
  }

  next(): ActivityReport | undefined {
    const { sql, counts, state, now } = this.#options
    if (!state.current) return undefined
    this.#isChanged = false
    const [last] = sql
      .exec<Omit<LastRun, 'isTest'> & { sequence: number; test: number }>(
        `SELECT sequence, suffix, status, queued_at AS queuedAt, finished_at AS finishedAt, test
         FROM runs ORDER BY sequence DESC LIMIT 1`,
      )
      .toArray()
    const { sequence = 0, test, ...run } = last ?? {}
    return {
      activity: {
        at: now(),
        lastRun: last ? { ...(run as Omit<LastRun, 'isTest'>), isTest: test === 1 } : null,
        isFailing: isFailing(sql),
        ...counts(),
      },
      runs: this.#unknownRuns(sequence, state.current.prunedThrough),
    }
  }

  /** @param knownThrough highest sequence number that the owner's object now knows */
  acknowledge({ runs }: ActivityReport, knownThrough: number): void {
    // The number is lower than before if the receiver was restored, or if sequence numbers have started again.
    const isNew = knownThrough !== this.#knownThrough
    this.#knownThrough = knownThrough
    if (knownThrough < runs.last && isNew) this.#isChanged = true
    else this.#reportedAt = this.#options.now()
  }

  /** Called if a report was not acknowledged. */
  recordFailure(): void {
    this.#isChanged = true
  }

  #unknownRuns(last: number, prunedThrough: number): QueuedRuns {
    const known = this.#knownThrough ?? last - RUNS_AFTER_LOAD
    const first = Math.max(known, prunedThrough) + 1
    const times = (from: number, count: number) =>
      this.#options.sql
        .exec<{ sequence: number; queuedAt: number }>(
          'SELECT sequence, queued_at AS queuedAt FROM runs WHERE sequence >= ? ORDER BY sequence LIMIT ?',
          from,
          count,
        )
        .toArray()
    const [previous] = times(first - 1, 1)
    return {
      first,
      queuedAt: times(first, RUNS_PER_REPORT).map(({ queuedAt }) => queuedAt),
      previousAt: previous?.sequence === first - 1 ? previous.queuedAt : null,
      last,
      prunedThrough,
    }
  }

  #changed(): boolean {
    if (!this.#options.state.current) return false
    this.#isChanged ??= this.#options.sql.exec('SELECT 1 FROM runs LIMIT 1').toArray().length > 0
    return this.#isChanged
  }

  /** Returns the past if the clock was set back. */
  #dueAt(now: number): number {
    const at = this.#reportedAt + ACTIVITY_INTERVAL_MS
    return isEndPast(at, ACTIVITY_INTERVAL_MS, now) ? Number.NEGATIVE_INFINITY : at
  }
}
