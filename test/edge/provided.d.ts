import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'

/** What `inject` gives, made in Node before the tests. */
export type Provided = {
  evidence: EvidenceBundle
  /** Where a real anvil answers. */
  anvil: string
  /** Where the e-mail APIs answer (`test/doubles/mail-api.ts`). */
  mailApi: string
  /** Seeds of the simulation of chain events. */
  simulation: { first: number; count: number }
}

declare module 'vitest' {
  interface ProvidedContext extends Provided {}
}
