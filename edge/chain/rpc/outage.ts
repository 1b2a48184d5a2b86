/** An endpoint that fails is left alone for a while, then tried by one question, and left alone for longer if that fails. */

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** The longest where there is no other endpoint to ask: nothing is spared by waiting. */
const LONGEST_ALONE_MS = 5_000
/** One that was well for as long has a new beginning; one that fails again sooner is left alone for longer. */
const WELL_AGAIN_MS = 60_000

export class Outage {
  #failures = 0
  #failedAt = 0
  #until = 0
  #askedToWait = false
  #wellSince: number | undefined = 0
  /** Whether a question is under way that tells whether it is over. */
  isTried = false

  get isOver(): boolean {
    return this.#wellSince !== undefined
  }

  /** Whether one question may tell whether it is over. @param alone no other endpoint can be asked */
  isDue(now: number, alone: boolean): boolean {
    if (this.isOver || this.isTried) return false
    if (now >= this.#until) return true
    return alone && !this.#askedToWait && now >= this.#failedAt + LONGEST_ALONE_MS
  }

  /**
   * @param random at least 0 and below 1: objects that fail together do not come back together
   * @param retryAfterMs how long the endpoint asked to be left alone
   * @returns for how long it is; `undefined` where it was already: questions that were under way fail together
   */
  failed(now: number, random: number, retryAfterMs?: number): number | undefined {
    if (!this.isOver && !this.isTried && now < this.#until) return undefined
    if (this.#wellSince !== undefined && now - this.#wellSince >= WELL_AGAIN_MS) this.#failures = 0
    const grown = Math.min(FIRST_MS * 2 ** Math.min(this.#failures, 10), LONGEST_MS)
    const ms = Math.max(grown * (0.75 + random / 4), retryAfterMs ?? 0)
    this.#failures++
    this.#failedAt = now
    this.#until = now + ms
    this.#askedToWait = retryAfterMs !== undefined
    this.#wellSince = undefined
    return ms
  }

  /** @returns whether there was an outage until now */
  answered(now: number): boolean {
    if (this.#wellSince !== undefined) return false
    this.#wellSince = now
    return true
  }
}
