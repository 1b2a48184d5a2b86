import { clientNetwork } from '../../shared/network/client-network.ts'
import { LimitExceededError } from './call-rate.ts'

const MINUTE_MS = 60_000

export type MinuteRateOptions = {
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
  readonly #granted = new Map<string, number>()
  #minute = 0

  constructor(options: MinuteRateOptions) {
    this.#options = options
  }

  /**
   * Rejected calls are not counted, so that the networks in memory never exceed the items granted within a minute.
   * @param address the client's address
   * @throws {LimitExceededError}
   */
  take(address: string): void {
    const { max, what, now } = this.#options
    const network = clientNetwork(address)
    const at = now()
    const minute = Math.floor(at / MINUTE_MS)
    if (minute !== this.#minute) this.#granted.clear()
    this.#minute = minute
    const granted = this.#granted.get(network) ?? 0
    if (granted >= max)
      throw new LimitExceededError(
        `this address has requested ${granted} ${what} within a minute`,
        (minute + 1) * MINUTE_MS - at,
      )
    this.#granted.set(network, granted + 1)
  }
}
