import type { Looked } from './watch.ts'

/** A chain that nobody answers for is looked at this often at the least. */
const LONGEST_MS = 15_000

/** An alarm that is late by this much does not come any more. */
const OVERDUE_MS = 5_000

/** When the chain is looked at next: at its usual pace, and more seldom while nobody answers. */
export class PollPace {
  readonly #usualMs: number
  #failures = 0

  constructor(usualMs: number) {
    this.#usualMs = usualMs
  }

  get intervalMs(): number {
    return Math.min(this.#usualMs * 2 ** this.#failures, Math.max(LONGEST_MS, this.#usualMs))
  }

  looked(looked: Looked): void {
    this.#failures = looked === 'away' ? Math.min(this.#failures + 1, 16) : 0
  }

  /** Whether an alarm that is set for a time will bring the next look; a clock may have jumped. */
  isGoing(alarmAt: number | null, now: number): boolean {
    return alarmAt !== null && alarmAt > now - OVERDUE_MS && alarmAt <= now + this.intervalMs
  }
}
