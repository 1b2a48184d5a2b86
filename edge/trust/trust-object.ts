/** RPC interface of the Durable Object that verifies the origin. */
import type { TrustHealth } from './trust-health.ts'

export interface TrustObject {
  /**
   * Returns the keys to which requests are encrypted.
   * @param stale true if the origin did not recognize the caller's key; the origin is then verified again
   * @throws {Error} if the origin cannot be reached or its evidence is rejected
   */
  keys(stale: boolean): Promise<TrustedKeys>
  /** Returns the current trust state without verifying the origin. */
  health(): Promise<TrustHealth>
}

/** Public keys from the origin's evidence, as uncompressed P-256 points. */
export type TrustedKeys = {
  channelKey: Uint8Array
  storageKey: Uint8Array
  /** Time until which the keys may be used, in Unix milliseconds. */
  verifiedUntil: number
}
