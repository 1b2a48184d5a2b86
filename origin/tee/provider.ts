import type {
  Attestation,
  Collateral,
  EvidenceQuote,
  Info,
} from '../../shared/attestation/evidence.ts'

export const REPORT_DATA_BYTES = 64

/** Attestation functions of the machine that this process runs in. */
export type TeeProvider = {
  mode: 'dstack' | 'simulated'
  /**
   * Returns the root key: 32 bytes, the same in every process of this application.
   * @throws {TeeUnavailable | KeyNotAuthentic}
   */
  rootKey(): Promise<Uint8Array>
  /**
   * Makes a new quote.
   * @param reportData at most 64 bytes; shorter data is padded with zeros
   * @throws {TeeUnavailable}
   */
  quote(reportData: Uint8Array): Promise<EvidenceQuote>
  /**
   * Returns everything that the machine reports about itself, including undocumented fields. @throws {TeeUnavailable}
   */
  info(): Promise<Info & Record<string, unknown>>
  /** Returns unexpired collateral for verifying quotes of this machine. @throws {TeeUnavailable} */
  collateral(): Promise<Collateral>
  /** Time at which the current collateral was fetched, in Unix milliseconds; undefined before the first fetch. */
  readonly collateralAt?: number | undefined
}

/**
 * Thrown if the guest agent or the collateral service does not return a valid response, or if no valid evidence exists.
 */
export class TeeUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'TeeUnavailable'
  }
}

export type { Attestation, Collateral, EvidenceQuote, Info }
