import { QUOTES_AT_ONCE, QUOTES_PER_MINUTE } from '../../shared/limits.ts'
import { nonceReportData } from '../../shared/attestation/nonce.ts'
import { TooManyCalls } from '../admission/call-rate.ts'
import { MinuteRate } from '../admission/minute-rate.ts'
import { attestationOf } from './evidence-set.ts'
import type { Attestation, TeeProvider } from './provider.ts'

/** Retry delay. A quote takes less time, so a caller that is rejected because of others does not have to wait long. */
const ROOM_AGAIN_MS = 1_000

/**
 * Quotes with a nonce of the caller's choice. They are free of charge, and the machine makes one at a time, so both the
 * concurrent quotes of all callers and the quotes per minute of each caller are limited.
 */
export class FreshQuotes {
  readonly #tee: TeeProvider
  readonly #rate: MinuteRate
  #underWay = 0

  constructor(tee: TeeProvider, now: () => number) {
    this.#tee = tee
    this.#rate = new MinuteRate({ max: QUOTES_PER_MINUTE, what: 'quotes', now })
  }

  /**
   * @param nonce 1 to 64 bytes
   * @throws {TooManyCalls | TeeUnavailable}
   */
  async quote(nonce: Uint8Array<ArrayBuffer>, address: string): Promise<Attestation> {
    if (this.#underWay >= QUOTES_AT_ONCE)
      throw new TooManyCalls('quotes are being made for others', ROOM_AGAIN_MS)
    this.#rate.take(address)
    this.#underWay++
    try {
      return attestationOf(await this.#tee.quote(await nonceReportData(nonce)))
    } finally {
      this.#underWay--
    }
  }
}
