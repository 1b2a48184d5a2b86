import type {
  Attestation,
  Collateral,
  EvidenceQuote,
  Info,
} from '../../shared/attestation/evidence.ts'

export const REPORT_DATA_BYTES = 64

/** The machine that this process runs in, as far as it can be shown to others. */
export type TeeProvider = {
  mode: 'dstack' | 'simulated'
  /** 32 bytes, the same at every process of this application. @throws {TeeUnavailable | KeyNotAuthentic} */
  rootKey(): Promise<Uint8Array>
  /**
   * A quote of now.
   * @param reportData at most 64 bytes, zeros behind them
   * @throws {TeeUnavailable}
   */
  quote(reportData: Uint8Array): Promise<EvidenceQuote>
  /** Beside what the specification names, all that the machine says of itself. @throws {TeeUnavailable} */
  info(): Promise<Info & Record<string, unknown>>
  /** What a quote of this machine is verified with, not yet expired. @throws {TeeUnavailable} */
  collateral(): Promise<Collateral>
  /** Unix milliseconds of what `collateral` shows now; undefined before the first. */
  readonly collateralAt?: number | undefined
}

/** The guest agent, or who signs for the platform, does not answer; nothing is known. */
export class TeeUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'TeeUnavailable'
  }
}

export type { Attestation, Collateral, EvidenceQuote, Info }
