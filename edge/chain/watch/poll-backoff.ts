import type { PollOutcome } from './chain-poller.ts'

/** While no endpoint answers. */
const LONGEST_MS = 15_000

/** Delay after which an overdue alarm is considered lost. */
const OVERDUE_MS = 5_000

/** Exponential backoff while no endpoint answers. */
export class PollBackoff {
  readonly #usualMs: number
  #failures = 0

  constructor(usualMs: number) {
    this.#usualMs = usualMs
  }

  get intervalMs(): number {
    return Math.min(this.#usualMs * 2 ** this.#failures, Math.max(LONGEST_MS, this.#usualMs))
  }

  recordPoll(outcome: PollOutcome): void {
    this.#failures = outcome === 'away' ? Math.min(this.#failures + 1, 16) : 0
  }

  /**
   * True if the alarm will cause the next poll. An alarm too far in the future does not count, because the clock may
   * have been set back.
   */
  isScheduled(alarmAt: number | null, now: number): boolean {
    return alarmAt !== null && alarmAt > now - OVERDUE_MS && alarmAt <= now + this.intervalMs
  }
}
