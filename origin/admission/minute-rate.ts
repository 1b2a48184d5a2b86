import { MINUTE_MS } from '../../shared/durations.ts'
import { clientNetwork } from '../../shared/network/client-network.ts'
import { LimitExceededError } from './call-rate.ts'

/** Counts by name, which are reset at the start of each clock minute. */
export class MinuteCounts<Count> {
  readonly #now: () => number
  readonly #counts = new Map<string, Count>()
  #minute = 0

  /** @param now returns Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

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
  /** Plural name of the items, used in error messages. */
  what: string
  /** Returns the current time in Unix milliseconds. */
  now: () => number
}

/**
 * Limits items per client network and clock minute. The limit is local to this process, so it also works while the
 * database is unavailable.
 */
export class MinuteRate {
  readonly #options: MinuteRateOptions
  readonly #granted: MinuteCounts<number>

  constructor(options: MinuteRateOptions) {
    this.#options = options
    this.#granted = new MinuteCounts(options.now)
  }

  /**
   * Counts one item for the client's network. Rejected calls are not counted, so the number of networks in memory never
   * exceeds the number of items granted within a minute.
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
