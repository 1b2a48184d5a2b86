import { clientNetwork } from '../../shared/client-network.ts'
import { TooManyCalls } from './call-rate.ts'

const MINUTE_MS = 60_000

export type MinuteRateOptions = {
  max: number
  /** What is counted, in the plural. */
  what: string
  /** Unix milliseconds. */
  now: () => number
}

/**
 * How much of something each client network gets in a minute of the clock. Counted by this process alone, without a query:
 * it goes on when the database is away, too.
 */
export class MinuteRate {
  readonly #options: MinuteRateOptions
  readonly #given = new Map<string, number>()
  #minute = 0

  constructor(options: MinuteRateOptions) {
    this.#options = options
  }

  /**
   * Only who gets something is counted, so that there are never more networks than was given in a minute.
   * @param address of the client
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
        `this address has got ${given} ${what} in a minute`,
        (minute + 1) * MINUTE_MS - at,
      )
    this.#given.set(network, given + 1)
  }
}
