import { clientNetwork } from '../../shared/client-network.ts'
import { TooManyCalls } from './call-rate.ts'

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
  readonly #given = new Map<string, number>()
  #minute = 0

  constructor(options: MinuteRateOptions) {
    this.#options = options
  }

  /**
   * Rejected calls are not counted, so that the networks in memory never exceed the items granted within a minute.
   * @param address the client's address
   * @throws {TooManyCalls}
   */
  take(address: string): void {
    const { max, what, now } = this.#options
    const network = clientNetwork(address)
    const at = now()
    const minute = Math.floor(at / MINUTE_MS)
    if (minute !== this.#minute) this.#given.clear()
    this.#minute = minute
    const given = this.#given.get(network) ?? 0
    if (given >= max)
      throw new TooManyCalls(
        `this address has requested ${given} ${what} within a minute`,
        (minute + 1) * MINUTE_MS - at,
      )
    this.#given.set(network, given + 1)
  }
}
