import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'

declare module 'vitest' {
  /** What `inject` gives, made in Node before the tests. */
  interface ProvidedContext {
    evidence: EvidenceBundle
  }
}
