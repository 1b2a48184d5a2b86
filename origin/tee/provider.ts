import type {
  Attestation,
  Collateral,
  EvidenceQuote,
  Info,
} from '../../shared/attestation/evidence.ts'

export const REPORT_DATA_BYTES = 64

export type TeeProvider = {
  mode: 'dstack' | 'simulated'
  /**
   * Returns 32 bytes, the same in every process of this application.
   * @throws {TeeUnavailableError
   * KeyChainError}
   */
  rootKey(): Promise<Uint8Array>
  /**
   * @param reportData at most 64 bytes; shorter data is padded with zeros
   * @throws {TeeUnavailableError}
   */
  quote(reportData: Uint8Array): Promise<EvidenceQuote>
  /** Includes undocumented fields. @throws {TeeUnavailableError} */
  info(): Promise<Info & Record<string, unknown>>
  /** Returns collateral that has not expired. @throws {TeeUnavailableError} */
  collateral(): Promise<Collateral>
  /** Time of the last fetch in Unix milliseconds; undefined before the first. */
  readonly collateralAt?: number | undefined
}

/** The guest agent or the collateral service did not return a valid response, or no valid evidence exists. */
export class TeeUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'TeeUnavailableError'
  }
}

export type { Attestation, Collateral, EvidenceQuote, Info }
