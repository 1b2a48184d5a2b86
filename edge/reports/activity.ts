import type { RunStatus } from '../../shared/wire/trigger.ts'

/**
 * State of a trigger's runs, as its object reports it to the object of its owner (`docs/decisions/0160`). All times are
 * in Unix milliseconds.
 */
export type TriggerActivity = {
  /** Time at which the trigger's object computed this. */
  at: number
  lastRun: LastRun | null
  /** See `edge/queue/recent-failures.ts`. */
  isFailing: boolean
  /** Finished runs of the last 24 hours without tests, oldest first. Hours without runs are omitted. */
  hours: HourCounts[]
  /** Durations of these runs. Null if there are none. */
  p50Ms: number | null
  p95Ms: number | null
}

export type LastRun = {
  /** Run ID without the trigger ID. */
  suffix: string
  status: RunStatus
  queuedAt: number
  finishedAt: number | null
  isTest: boolean
}

/** `hour` is in hours since the Unix epoch. */
export type HourCounts = { hour: number; ok: number; failed: number }

/** Runs with consecutive sequence numbers, for the index of all runs of the owner (`docs/decisions/0161`). */
export type QueuedRuns = {
  /** Sequence number of the first run in `queuedAt`. */
  first: number
  /** Times of the runs from `first` on. */
  queuedAt: number[]
  /** Time of the run before `first`. Null if it is not stored. */
  previousAt: number | null
  /** Highest sequence number of the trigger's runs. */
  last: number
  /** Highest sequence number that retention has deleted. */
  prunedThrough: number
}

export type ActivityReport = { activity: TriggerActivity; runs: QueuedRuns }
