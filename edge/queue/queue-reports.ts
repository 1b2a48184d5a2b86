import { MINUTE_MS } from '../../shared/durations.ts'
import { QUEUE_SHARE_THRESHOLD } from '../../shared/limits.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { TriggerState } from './trigger-state.ts'

/** Part of the threshold at which the incident is resolved. For the default threshold, half of the queue. */
const RESOLVED_PART = 0.625
/** Maximum share of the queue at which the incident is resolved. */
const RESOLVED_SHARE_MAX = 0.5

/** Minimum time between two reports, while the queue stays almost full or becomes so again and again. */
const INTERVAL_MS = 10 * MINUTE_MS

/**
 * Reports to the owner that the queue is almost full, and that it no longer is. What was reported is in memory only, so
 * that the check costs nothing. After an eviction, a report can be repeated, or the incident ends when it gets no
 * further reports.
 */
export class QueueReports {
  readonly #state: Pick<TriggerState, 'current'>
  readonly #reports: Pick<PendingReports, 'add'>
  #isOpen = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(state: Pick<TriggerState, 'current'>, reports: Pick<PendingReports, 'add'>) {
    this.#state = state
    this.#reports = reports
  }

  /** Called when runs have entered or left the queue, and runs that may start have started. */
  update(queued: number, now: number): void {
    const trigger = this.#state.current
    if (!trigger) return
    const share = queued / trigger.maxQueuedRuns
    const threshold = trigger.queueShareThreshold ?? QUEUE_SHARE_THRESHOLD
    if (share >= threshold) {
      if (Math.abs(now - this.#reportedAt) < INTERVAL_MS) return
      this.#isOpen = true
      this.#reportedAt = now
      this.#report('open', `${queued} of ${trigger.maxQueuedRuns} runs are queued.`)
    } else if (share <= Math.min(threshold * RESOLVED_PART, RESOLVED_SHARE_MAX) && this.#isOpen) {
      this.#isOpen = false
      this.#report('resolved', null)
    }
  }

  #report(state: 'open' | 'resolved', message: string | null): void {
    this.#reports.add({ kind: 'signal', signal: 'queue_share', state, code: null, message })
  }
}
