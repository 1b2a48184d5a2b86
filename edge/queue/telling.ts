import { causeOf } from '../db/cause-of.ts'

export type TellingOptions = {
  /** True if an update of the receiver is pending. */
  isOwed: () => boolean
  /**
   * Sends the current state to the receiver once. Clears the pending mark, unless the state has changed in the
   * meantime.
   */
  tell: () => Promise<void>
  /** @param failures number of consecutive failures */
  failed: (reason: string, failures: number) => void
  now: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
}

/** Delay before the first retry. It doubles with each failure, up to a minute. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

/**
 * Maximum time for which a caller waits for a delivery. The object has already stored the change, and the alarm
 * continues the delivery.
 */
const WAIT_MS = 2_000

/** Timeout of one call to the receiver. */
const GIVE_UP_MS = 15_000

/**
 * Transactional outbox: replicates an object's state until the receiver acknowledges it. The object first stores its
 * state with a pending mark, so that the alarm can resume an interrupted delivery. Only one delivery is in flight at a
 * time. It is repeated until the mark is cleared, so changes made in the meantime are sent in its next round.
 */
export class Telling {
  readonly #options: TellingOptions
  #under: Promise<void> | undefined
  /** Calls that have not completed. A call that timed out may still take effect. */
  #unsettled = 0
  #failures = 0
  #retryAt = 0

  constructor(options: TellingOptions) {
    this.#options = options
  }

  /** Delivers a pending update, and waits for at most `WAIT_MS`. Never throws. */
  async now(): Promise<void> {
    const told = this.#tell()
    if (told) await this.#atMost(WAIT_MS, told)
  }

  /** Alarm task: retries a pending delivery. */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#options.isOwed()) return undefined
    // The retry must not be postponed if the clock was set back.
    const waits = now < this.#retryAt && this.#retryAt <= now + RETRY_MAX_MS
    if (waits) return this.#retryAt
    const told = this.#tell()
    if (told) keepAlive(told)
    return now + RETRY_MS
  }

  /** @throws {Error} if the call to the receiver fails or times out */
  async orGivenUp(call: Promise<void>): Promise<void> {
    this.#unsettled++
    const settled = call.finally(() => this.#unsettled--)
    settled.catch(() => {})
    if (!(await this.#atMost(GIVE_UP_MS, settled))) throw new Error('no response')
  }

  /** A call that timed out may still take effect. */
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
      // There is no `await` between the last check of the pending mark and this line, so the next caller starts a new
      // delivery.
      this.#under = undefined
    }
  }

  /** @returns false if `work` did not finish within `ms` milliseconds */
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
