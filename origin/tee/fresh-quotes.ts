import { QUOTES_AT_ONCE, QUOTES_PER_MINUTE } from '../../shared/limits.ts'
import { nonceReportData } from '../../shared/attestation/nonce.ts'
import { clientNetwork } from '../../shared/client-network.ts'
import { TooManyCalls } from '../admission/call-rate.ts'
import { attestationOf } from './evidence-set.ts'
import type { Attestation, TeeProvider } from './provider.ts'

const MINUTE_MS = 60_000
/** A quote takes less; who is refused for another's sake need not wait long. */
const ROOM_AGAIN_MS = 1_000

/**
 * Quotes that carry a nonce of the caller's choice. Nobody pays for them and the machine makes one at a time, so they
 * are few: at once over all callers, and a minute for each. Counted by this process alone, without a query: what one
 * verifies by is answered when the database is away, too.
 */
export class FreshQuotes {
  readonly #tee: TeeProvider
  readonly #now: () => number
  readonly #given = new Map<string, number>()
  #minute = 0
  #underWay = 0

  constructor(tee: TeeProvider, now: () => number) {
    this.#tee = tee
    this.#now = now
  }

  /**
   * @param nonce 1 to 64 bytes
   * @throws {TooManyCalls | TeeUnavailable}
   */
  async quote(nonce: Uint8Array<ArrayBuffer>, address: string): Promise<Attestation> {
    if (this.#underWay >= QUOTES_AT_ONCE)
      throw new TooManyCalls('quotes are being made for others', ROOM_AGAIN_MS)
    this.#take(clientNetwork(address))
    this.#underWay++
    try {
      return attestationOf(await this.#tee.quote(await nonceReportData(nonce)))
    } finally {
      this.#underWay--
    }
  }

  /** Only who gets a quote is counted, so that there are never more networks than quotes of a minute. */
  #take(network: string): void {
    const now = this.#now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#given.clear()
    this.#minute = minute
    const given = this.#given.get(network) ?? 0
    if (given >= QUOTES_PER_MINUTE)
      throw new TooManyCalls(
        `this address has got ${given} quotes in a minute`,
        (minute + 1) * MINUTE_MS - now,
      )
    this.#given.set(network, given + 1)
  }
}
