import { causeOf } from '../db/cause-of.ts'

export type TellingOptions = {
  /** Returns true if an update is pending. */
  isOwed: () => boolean
  /** Sends the current state once, and clears the pending mark unless the state has changed in the meantime. */
  tell: () => Promise<void>
  /**
   * Called when a delivery failed.
   * @param failures the number of consecutive failures
   */
  failed: (reason: string, failures: number) => void
  now: () => number
  /** Resolves after this time, or when `ended` is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
}

/** The delay before the first retry. It doubles with each failure, up to a minute. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

/** The longest time that a caller waits. The object already has the change, and the alarm continues the delivery. */
const WAIT_MS = 2_000

/** The timeout of one call. */
const GIVE_UP_MS = 15_000

/**
 * Transactional outbox: replicates this object's state until the receiver acknowledges it. The object is written first,
 * with a pending mark, so that the alarm resumes an interrupted delivery. Only one delivery is in flight. It repeats
 * until the mark is cleared, so later changes share its next round.
 */
export class Telling {
  readonly #options: TellingOptions
  #under: Promise<void> | undefined
  /** The number of calls that timed out and may still take effect. */
  #unsettled = 0
  #failures = 0
  #retryAt = 0

  constructor(options: TellingOptions) {
    this.#options = options
  }

  /** Delivers a pending update and waits for it, but no longer than `WAIT_MS`. Never throws. */
  async now(): Promise<void> {
    const told = this.#tell()
    if (told) await this.#atMost(WAIT_MS, told)
  }

  /**
   * Alarm task.
   * @returns when to call it again
   */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#options.isOwed()) return undefined
    // A clock that was set back must not postpone the retry.
    const waits = now < this.#retryAt && this.#retryAt <= now + RETRY_MAX_MS
    if (waits) return this.#retryAt
    const told = this.#tell()
    if (told) keepAlive(told)
    return now + RETRY_MS
  }

  /**
   * Waits for one call to the receiver.
   * @throws {Error} if it fails or times out
   */
  async orGivenUp(call: Promise<void>): Promise<void> {
    this.#unsettled++
    const settled = call.finally(() => this.#unsettled--)
    settled.catch(() => {})
    if (!(await this.#atMost(GIVE_UP_MS, settled))) throw new Error('no answer')
  }

  /** True if a call that timed out may still take effect. */
  get isUnsettled(): boolean {
    return this.#unsettled > 0
  }

  #tell(): Promise<void> | undefined {
    if (!this.#options.isOwed()) return undefined
    return (this.#under ??= this.#untilTold())
  }

  async #untilTold(): Promise<void> {
    const { isOwed, tell, now, failed } = this.#options
    try {
      while (isOwed()) await tell()
      this.#failures = 0
    } catch (error) {
      this.#failures++
      this.#retryAt = now() + Math.min(RETRY_MS * 2 ** (this.#failures - 1), RETRY_MAX_MS)
      failed(causeOf(error), this.#failures)
    } finally {
      // Cleared in the same step as the last check of the mark, so that the next caller starts a new delivery.
      this.#under = undefined
    }
  }

  /** @returns true if the work finished in time */
  async #atMost(ms: number, work: Promise<void>): Promise<boolean> {
    const ended = new AbortController()
    const inTime = work.then(() => true)
    const tooLate = this.#options.sleep(ms, ended.signal).then(() => false)
    try {
      return await Promise.race([inTime, tooLate])
    } finally {
      ended.abort()
    }
  }
}
