import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'

/** Values for `inject`, created in Node before the tests. */
export type Provided = {
  evidence: EvidenceBundle
  /** URL of a real anvil node. */
  anvil: string
  /** URL of the e-mail APIs (`test/doubles/mail-api.ts`). */
  mailApi: string
  /** URL of a receiver of alerts (`test/doubles/alert-receiver.ts`). */
  alertReceiver: string
  /** URL of the OpenTelemetry collectors (`test/doubles/otlp-collector.ts`). */
  otlpCollectors: string
  /** URL of `test/doubles/client-documents-setup.ts`. */
  clientDocuments: string
  /** Seeds for the simulation of chain events. */
  simulation: { first: number; count: number }
  /** URL of `test/previous-version/record.ts`, for the files that record a version. */
  recorder: string
}

declare module 'vitest' {
  interface ProvidedContext extends Provided {}
}
