import type {
  Attestation,
  Collateral,
  EvidenceQuote,
  Info,
} from '../../shared/attestation/evidence.ts'

export const REPORT_DATA_BYTES = 64

/** The machine that this process runs in, as far as it can be proven to others. */
export type TeeProvider = {
  mode: 'dstack' | 'simulated'
  /** Returns 32 bytes, the same in every process of this application. @throws {TeeUnavailable | KeyNotAuthentic} */
  rootKey(): Promise<Uint8Array>
  /**
   * Makes a new quote.
   * @param reportData at most 64 bytes, padded with zeros
   * @throws {TeeUnavailable}
   */
  quote(reportData: Uint8Array): Promise<EvidenceQuote>
  /** Returns the documented fields, and all others that the machine reports about itself. @throws {TeeUnavailable} */
  info(): Promise<Info & Record<string, unknown>>
  /**
   * Returns the collateral with which a quote of this machine is verified, not yet expired. @throws {TeeUnavailable}
   */
  collateral(): Promise<Collateral>
  /** Unix milliseconds at which the current collateral was fetched; undefined before the first. */
  readonly collateralAt?: number | undefined
}

/** The guest agent, or the service with the platform's collateral, does not respond. Nothing is known. */
export class TeeUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'TeeUnavailable'
  }
}

export type { Attestation, Collateral, EvidenceQuote, Info }
