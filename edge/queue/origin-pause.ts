import { isOver, type Wait } from './waits.ts'

const FIRST_MS = 500
const LONGEST_MS = 60_000

const NEVER: Wait = { since: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY }

/**
 * How long a queue leaves an origin alone that did not answer: doubling from half a second to a minute, with
 * jitter, so that the queues of all triggers do not come back at the same moment.
 */
export class OriginPause {
  #failures = 0
  #wait = NEVER
  /** The run that was sent to see whether the origin is back. */
  #probe: number | undefined

  /** While this is true one run at a time is sent, to see whether the origin is back. */
  get probing(): boolean {
    return this.#failures > 0
  }

  /** When the origin may be asked again. */
  get until(): number {
    return this.#wait.until
  }

  /** When a run may be sent: infinite while the one that was sent to see has not been answered. */
  opensAt(now: number): number {
    if (!this.over(now)) return this.#wait.until
    return this.probing && this.#probe !== undefined ? Number.POSITIVE_INFINITY : now
  }

  /** Whether the pause is over: the origin may be asked. */
  over(now: number): boolean {
    return isOver(this.#wait, now)
  }

  /** A run is sent. */
  sent(run: number): void {
    if (this.probing) this.#probe = run
  }

  /** Nobody waits for this run's answer any more. */
  left(run: number): void {
    if (this.#probe === run) this.#probe = undefined
  }

  /** @param retryAfterMs what the origin asked for, if it answered at all */
  failed(now: number, random: number, retryAfterMs = 0): void {
    // Runs that were under way together fail together: that is one failure, not a step of the doubling for each.
    if (!this.over(now)) {
      const until = Math.max(this.#wait.until, now + retryAfterMs)
      this.#wait = { since: this.#wait.since, until }
      return
    }
    const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    const until = now + Math.round(Math.max(retryAfterMs, step * (0.5 + random / 2)))
    this.#wait = { since: now, until }
  }

  /** What an earlier life of the object knew: the origin was away, and to be asked again after this wait. */
  resume(wait: Wait = NEVER): void {
    this.#failures = 1
    this.#wait = wait
  }

  answered(): void {
    this.#failures = 0
    this.#wait = NEVER
    this.#probe = undefined
  }
}
