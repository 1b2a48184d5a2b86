import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'

/** What `inject` gives, made in Node before the tests. */
export type Provided = { evidence: EvidenceBundle }

declare module 'vitest' {
  interface ProvidedContext extends Provided {}
}
