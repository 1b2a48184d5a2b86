import { MINUTE_MS } from '../../shared/durations.ts'
import { clientNetwork } from '../../shared/network/client-network.ts'
import { LimitExceededError } from './call-rate.ts'

/** Counts by name, which start again with each clock minute. */
export class MinuteCounts<Count> {
  readonly #now: () => number
  readonly #counts = new Map<string, Count>()
  #minute = 0

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the counts of the current minute, and the milliseconds until it ends. */
  current(): { counts: Map<string, Count>; leftMs: number } {
    const at = this.#now()
    const minute = Math.floor(at / MINUTE_MS)
    if (minute !== this.#minute) this.#counts.clear()
    this.#minute = minute
    return { counts: this.#counts, leftMs: (minute + 1) * MINUTE_MS - at }
  }
}

type MinuteRateOptions = {
  max: number
  /** Plural name of the items, for error messages. */
  what: string
  /** Unix milliseconds. */
  now: () => number
}

/**
 * Limits items per client network and clock minute. Local to this process, so it also works while the database is
 * unavailable.
 */
export class MinuteRate {
  readonly #options: MinuteRateOptions
  readonly #granted: MinuteCounts<number>

  constructor(options: MinuteRateOptions) {
    this.#options = options
    this.#granted = new MinuteCounts(options.now)
  }

  /**
   * Rejected calls are not counted, so that the networks in memory never exceed the items granted within a minute.
   * @param address the client's address
   * @throws {LimitExceededError}
   */
  take(address: string): void {
    const { max, what } = this.#options
    const network = clientNetwork(address)
    const { counts, leftMs } = this.#granted.current()
    const granted = counts.get(network) ?? 0
    if (granted >= max)
      throw new LimitExceededError(
        `this address has requested ${granted} ${what} within a minute`,
        leftMs,
      )
    counts.set(network, granted + 1)
  }
}
