import { causeOf } from '../db/cause-of.ts'

export type TellingOptions = {
  /** Whether the other one has to be told. */
  isOwed: () => boolean
  /** Tells it once how things are now, and takes the note away unless they have changed meanwhile. */
  tell: () => Promise<void>
  /** It was not told. @param failures in a row */
  failed: (reason: string, failures: number) => void
  now: () => number
  /** Returns after this time, or once nobody waits for it any more. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
}

/** One that could not be told is tried again after this, and then after twice as long, up to a minute. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

/** Nobody waits longer for it: the object has what was asked for, and the alarm goes on. */
const WAIT_MS = 2_000

/** What has not been answered by then is given up. */
const GIVE_UP_MS = 15_000

/**
 * Tells somebody else what an object knows, until it is told. The object is written first, with a note that this is
 * owed; whoever is killed in between, the alarm finds the note. There is one who tells at a time, and it goes on until
 * the note is gone, so that changes that come meanwhile share its next round.
 */
export class Telling {
  readonly #options: TellingOptions
  #under: Promise<void> | undefined
  /** Calls that were given up and may still have their effect. */
  #unsettled = 0
  #failures = 0
  #retryAt = 0

  constructor(options: TellingOptions) {
    this.#options = options
  }

  /** Tells it, if it is owed, for as long as an answer can wait for it. It never fails its caller. */
  async now(): Promise<void> {
    const told = this.#tell()
    if (told) await this.#atMost(WAIT_MS, told)
  }

  /** The alarm's part. @returns when to look again */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#options.isOwed()) return undefined
    // A clock that was set back must not postpone it.
    const waits = now < this.#retryAt && this.#retryAt <= now + RETRY_MAX_MS
    if (waits) return this.#retryAt
    const told = this.#tell()
    if (told) keepAlive(told)
    return now + RETRY_MS
  }

  /** One call of the other one. @throws {Error} where it fails, or has not been answered in time */
  async orGivenUp(call: Promise<void>): Promise<void> {
    this.#unsettled++
    const settled = call.finally(() => this.#unsettled--)
    settled.catch(() => {})
    if (!(await this.#atMost(GIVE_UP_MS, settled))) throw new Error('no answer')
  }

  /** Whether a call that was given up may still have its effect. */
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
      // At once, in the same step as the last look at the note: who comes next begins anew.
      this.#under = undefined
    }
  }

  /** @returns whether the work ended in time */
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
