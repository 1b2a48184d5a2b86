import type { OriginIdentity } from './origin-identity.ts'
import type { TrustHealth } from './trust-health.ts'

export interface TrustObject {
  /**
   * @param stale true if the origin did not recognize the caller's key; the origin is then verified again
   * @throws {Error} if the origin cannot be reached or its evidence is rejected
   */
  keys(stale: boolean): Promise<TrustedKeys>
  /**
   * Returns facts of the verified evidence. Verifies the origin if its keys have expired.
   * @throws {Error} if the origin cannot be reached or its evidence is rejected
   */
  identity(): Promise<OriginIdentity>
  /** Returns the trust state without verifying the origin. */
  health(): Promise<TrustHealth>
}

/** Public keys from the origin's verified evidence, as uncompressed P-256 points. */
export type TrustedKeys = {
  channelKey: Uint8Array
  storageKey: Uint8Array
  /** Expiry of the keys, in Unix milliseconds. */
  verifiedUntil: number
}
