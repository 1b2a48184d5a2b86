import { CONCURRENT_QUOTES_MAX, QUOTES_PER_MINUTE } from '../../shared/limits.ts'
import { nonceReportData } from '../../shared/attestation/nonce.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { MinuteRate } from '../admission/minute-rate.ts'
import { attestationOf } from './evidence-set.ts'
import type { Attestation, TeeProvider } from './provider.ts'

/** Retry delay for a rejected caller. Making a quote takes less time than this. */
const RETRY_AFTER_MS = 1_000

/**
 * Quotes for nonces chosen by callers. Quotes are free of charge, and the machine makes only one at a time, so both the
 * concurrent quotes in total and the quotes per minute of each caller are limited.
 */
export class FreshQuotes {
  readonly #tee: TeeProvider
  readonly #rate: MinuteRate
  #inFlight = 0

  constructor(tee: TeeProvider, now: () => number) {
    this.#tee = tee
    this.#rate = new MinuteRate({ max: QUOTES_PER_MINUTE, what: 'quotes', now })
  }

  /**
   * Attestation that commits to the nonce.
   * @param nonce 1 to 64 bytes
   * @param address the caller's IP address, for rate limiting
   * @throws {LimitExceededError | TeeUnavailableError}
   */
  async quote(nonce: Uint8Array<ArrayBuffer>, address: string): Promise<Attestation> {
    if (this.#inFlight >= CONCURRENT_QUOTES_MAX)
      throw new LimitExceededError('too many quotes are being generated', RETRY_AFTER_MS)
    this.#rate.take(address)
    this.#inFlight++
    try {
      return attestationOf(await this.#tee.quote(await nonceReportData(nonce)))
    } finally {
      this.#inFlight--
    }
  }
}
