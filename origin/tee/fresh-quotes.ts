import { CONCURRENT_QUOTES_MAX, QUOTES_PER_MINUTE } from '../../shared/limits.ts'
import { bundleReportData, nonceReportData } from '../../shared/attestation/nonce.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { MinuteRate } from '../admission/minute-rate.ts'
import { attestationOf } from './evidence-set.ts'
import type { Attestation, TeeProvider } from './provider.ts'

const RETRY_AFTER_MS = 1_000

/**
 * Makes quotes for nonces that callers choose. Quotes are free of charge, and the machine makes only one at a time.
 * Both the number of concurrent quotes and the number of quotes per caller and minute are therefore limited.
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
   * @param nonce 1 to 64 bytes
   * @throws {LimitExceededError | TeeUnavailableError}
   */
  async quote(nonce: Uint8Array<ArrayBuffer>, address: string): Promise<Attestation> {
    return this.#quote(() => nonceReportData(nonce), address)
  }

  /**
   * Makes a quote over a nonce and the text of `sha256sum.txt`. The checksums must be those of this process's own
   * evidence.
   * @param nonce 1 to 64 bytes
   * @throws {LimitExceededError | TeeUnavailableError}
   */
  async quoteFiles(
    nonce: Uint8Array<ArrayBuffer>,
    checksums: string,
    address: string,
  ): Promise<Attestation> {
    return this.#quote(() => bundleReportData(nonce, checksums), address)
  }

  async #quote(reportData: () => Promise<Uint8Array>, address: string): Promise<Attestation> {
    if (this.#inFlight >= CONCURRENT_QUOTES_MAX)
      throw new LimitExceededError('too many quotes are being generated', RETRY_AFTER_MS)
    this.#rate.take(address)
    this.#inFlight++
    try {
      return attestationOf(await this.#tee.quote(await reportData()))
    } finally {
      this.#inFlight--
    }
  }
}
