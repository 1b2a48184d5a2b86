import { encodeHex } from '../../shared/encoding/hex.ts'
import type { VerifiedOrigin } from './verify-origin.ts'

/**
 * Facts of the verified evidence that change only if an operator changes the code, the machine or the root key.
 * Excludes channel keys and certificates, which are renewed regularly, and `rtmr3`, which includes the instance
 * (`docs/decisions/0148`). All values are in hex.
 */
export type OriginIdentity = {
  /** SHA-256 of the root certificate's SubjectPublicKeyInfo. */
  root: string | null
  app_id: string | null
  /** Identifies the images too, because the compose file names their digests. */
  compose_hash: string | null
  mrtd: string | null
  rtmr0: string | null
  rtmr1: string | null
  rtmr2: string | null
  /** Public key that is derived from the root key without an epoch. */
  storage_key: string
}

export function originIdentity({
  report,
  keys,
}: Pick<VerifiedOrigin, 'report' | 'keys'>): OriginIdentity {
  const { appId, composeHash, measurements, root } = report
  return {
    root: root?.spkiSha256 ?? null,
    app_id: appId ?? null,
    compose_hash: composeHash ?? null,
    mrtd: measurements?.mrtd ?? null,
    rtmr0: measurements?.rtmr0 ?? null,
    rtmr1: measurements?.rtmr1 ?? null,
    rtmr2: measurements?.rtmr2 ?? null,
    storage_key: encodeHex(keys.storage),
  }
}
