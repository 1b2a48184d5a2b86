import { backoffMs } from '../../../shared/backoff.ts'
import type { PollOutcome } from './chain-poller.ts'

const LONGEST_MS = 15_000

export class PollBackoff {
  readonly #usualMs: number
  #failures = 0

  constructor(usualMs: number) {
    this.#usualMs = usualMs
  }

  get intervalMs(): number {
    return backoffMs(this.#failures, this.#usualMs, Math.max(LONGEST_MS, this.#usualMs))
  }

  recordPoll(outcome: PollOutcome): void {
    this.#failures = outcome === 'away' ? this.#failures + 1 : 0
  }
}
