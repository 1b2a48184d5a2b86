import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { HISTORY_BYTES_MAX, HISTORY_RETENTION_MS, HISTORY_RUNS_MAX } from '../../shared/limits.ts'
import { isEndPast } from '../deadline.ts'
import { type OldRun, type HistoryPruner, REVISIONS_MAX } from './history-pruner.ts'
import type { TriggerState } from './trigger-state.ts'

/**
 * Limits of one pruning step. A step blocks the storage for a few milliseconds, so it delays a webhook only briefly.
 */
const STEP_RUNS = 200
const STEP_BYTES = 8 * 1024 * 1024
const STEP_INTERVAL_MS = 100

/**
 * Delay before a history that exceeds its limits is pruned, so that the excess runs of a whole minute are deleted
 * together.
 */
const EXCESS_CHECK_DELAY_MS = MINUTE_MS
/**
 * Minimum interval between retention checks that wake an idle object. Retention does not need to be precise to the
 * minute.
 */
const IDLE_CHECK_MS = HOUR_MS
const SIZE_CHECK_MS = 1_000
const AWAKE_CHECK_MS = DAY_MS

export type RetentionOptions = {
  state: TriggerState
  pruning: HistoryPruner
  transaction(work: () => void): void
  isBeingWritten(revision: number): boolean
  armBy(at: number): void
  /** Called when the last run was deleted. */
  emptied(): void
  keptMs?: number
  runsMax?: number
  bytesMax?: number
}

/** Runs are deleted, oldest first, until no limit is exceeded. */
type Excess = { queuedBefore: number; runs: number; bytes: number }

/**
 * Limits a trigger's run history to 30 days by `queued_at`, 10,000 finished runs, and 1 GiB of bodies and results. Runs
 * are deleted in small steps on the alarm. Unfinished runs are never deleted.
 */
export class Retention {
  readonly #options: Required<RetentionOptions>
  /** Infinity if no check is scheduled. */
  #nextCheckAt = 0
  /** Time after which a retention check runs as soon as the object is awake for another reason. */
  #awakeCheckAt = 0
  /**
   * Amounts that the current check still has to delete; undefined between checks. `#above` is the last sequence number
   * that the check has deleted.
   */
  #excess: Excess | undefined
  #above = 0
  /** Number of runs that may still finish before the limit on finished runs is exceeded. */
  #freeRuns = 0
  #sizeCheckedAt = Number.NEGATIVE_INFINITY
  #cleanedUpRevision = 0
  #cleanedUpAt = 0

  constructor(options: RetentionOptions) {
    const limits = {
      keptMs: HISTORY_RETENTION_MS,
      runsMax: HISTORY_RUNS_MAX,
      bytesMax: HISTORY_BYTES_MAX,
    }
    this.#options = { ...limits, ...options }
  }

  runDue(now: number): number | undefined {
    const trigger = this.#options.state.current
    if (!trigger) return undefined
    const isWaiting = !isEndPast(this.#awakeCheckAt, AWAKE_CHECK_MS, now)
    const isEarly = isWaiting && now < this.#nextCheckAt
    if (!isEarly || trigger.revision - this.#cleanedUpRevision >= REVISIONS_MAX) {
      this.#nextCheckAt = this.#step(now) ?? Number.POSITIVE_INFINITY
      this.#awakeCheckAt = now + AWAKE_CHECK_MS
    }
    return Number.isFinite(this.#nextCheckAt) ? this.#nextCheckAt : undefined
  }

  recordEnd(now: number): void {
    this.#freeRuns--
    if (this.#nextCheckAt <= now + EXCESS_CHECK_DELAY_MS) return
    const { keptMs, armBy } = this.#options
    const isOver = this.#freeRuns < 0 || this.#isLarge(now)
    const checkAt = now + (isOver ? EXCESS_CHECK_DELAY_MS : keptMs)
    this.#nextCheckAt = Math.min(this.#nextCheckAt, checkAt)
    armBy(checkAt)
  }

  /**
   * Checks whether the database is too large, at most once a second, because thousands of runs may finish at the same
   * time.
   */
  #isLarge(now: number): boolean {
    if (Math.abs(now - this.#sizeCheckedAt) < SIZE_CHECK_MS) return false
    this.#sizeCheckedAt = now
    const { bytesMax, pruning } = this.#options
    return pruning.databaseBytes > bytesMax
  }

  #step(now: number): number | undefined {
    const { pruning, keptMs } = this.#options
    const excess = (this.#excess ??= this.#measure(now))
    const [oldest] = pruning.oldestEnded(this.#above, 1)
    if (oldest && isExcess(oldest, excess)) {
      this.#drop(pruning.oldestEnded(this.#above, STEP_RUNS), excess)
      return now + STEP_INTERVAL_MS
    }
    this.#excess = undefined
    this.#above = 0
    this.#cleanUp(now)
    return oldest && Math.max(now + IDLE_CHECK_MS, oldest.queuedAt + keptMs)
  }

  #measure(now: number): Excess {
    const { pruning, keptMs, runsMax, bytesMax, state } = this.#options
    const all = pruning.countRuns(state.current!.prunedThrough)
    const ended = all > runsMax ? all - pruning.countUnfinished() : all
    this.#freeRuns = Math.max(0, runsMax - ended)
    // The bodies and results are measured only if the whole database exceeds the limit, because their size cannot
    // exceed that of the database.
    const bytes = pruning.databaseBytes > bytesMax ? pruning.endedBytes() - bytesMax : 0
    return { queuedBefore: now - keptMs, runs: ended - runsMax, bytes }
  }

  #drop(oldest: readonly OldRun[], excess: Excess): void {
    const dropped: OldRun[] = []
    let bytes = 0
    for (const run of oldest) {
      if (!isExcess(run, excess) || (dropped.length > 0 && bytes + run.bytes > STEP_BYTES)) break
      dropped.push(run)
      bytes += run.bytes
      excess.runs--
      excess.bytes -= run.bytes
    }
    this.#dropThrough(dropped[0]!.sequence, dropped.at(-1)!.sequence)
  }

  #dropThrough(from: number, through: number): void {
    const { emptied, pruning, state, transaction } = this.#options
    const { prunedThrough } = state.current!
    transaction(() => {
      pruning.drop(from, through)
      // If the table is empty, sequence numbers start at 1 again.
      const pruned = pruning.isEmpty ? 0 : Math.max(prunedThrough, through)
      if (pruned !== prunedThrough) state.updateFields({ prunedThrough: pruned })
    })
    if (pruning.isEmpty) emptied()
    this.#above = through
  }

  #cleanUp(now: number): void {
    const { pruning, keptMs, isBeingWritten, state } = this.#options
    const { revision } = state.current!
    const isDue =
      now - this.#cleanedUpAt >= IDLE_CHECK_MS ||
      revision - this.#cleanedUpRevision >= REVISIONS_MAX
    if (!isDue) return
    this.#cleanedUpAt = now
    this.#cleanedUpRevision = revision
    pruning.dropRevisions((number) => number === revision || isBeingWritten(number))
    pruning.dropSkippedTicks(now - keptMs)
  }
}

function isExcess(run: OldRun, excess: Excess): boolean {
  return run.queuedAt < excess.queuedBefore || excess.runs > 0 || excess.bytes > 0
}
