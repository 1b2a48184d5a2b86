import type {
  Attestation,
  Collateral,
  EvidenceQuote,
  Info,
} from '../../shared/attestation/evidence.ts'

export const REPORT_DATA_BYTES = 64

/** @throws {RangeError} if the report data is longer than 64 bytes */
export function padReportData(reportData: Uint8Array): Buffer {
  if (reportData.length > REPORT_DATA_BYTES)
    throw new RangeError(`report data has ${reportData.length} bytes; the maximum is 64`)
  const padded = Buffer.alloc(REPORT_DATA_BYTES)
  padded.set(reportData)
  return padded
}

export type TeeProvider = {
  mode: 'dstack' | 'simulated'
  /**
   * Returns the root key: 32 bytes that are the same in every process of this application.
   * @throws {TeeUnavailableError | KeyChainError}
   */
  rootKey(): Promise<Uint8Array>
  /**
   * @param reportData at most 64 bytes; shorter data is padded with zeros
   * @throws {TeeUnavailableError}
   */
  quote(reportData: Uint8Array): Promise<EvidenceQuote>
  /** @throws {TeeUnavailableError} */
  info(): Promise<Info & Record<string, unknown>>
  /**
   * Returns collateral that has not expired.
   * @throws {TeeUnavailableError}
   */
  collateral(): Promise<Collateral>
  /** Time at which the collateral was last fetched, in Unix milliseconds. Undefined before the first fetch. */
  readonly collateralAt?: number | undefined
}

/**
 * Thrown if the guest agent or the collateral service does not return a valid response, or if no valid evidence exists.
 */
export class TeeUnavailableError extends Error {
  override readonly name = 'TeeUnavailableError'
}

/** Thrown if the TEE does not match the settings or its own reports. In that case, the origin does not start. */
export class TeeMismatchError extends Error {
  override readonly name = 'TeeMismatchError'
}

export type { Attestation, Collateral, EvidenceQuote, Info }
