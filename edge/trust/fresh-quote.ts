import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'
import { EvidenceRejectedError } from '../../shared/attestation/require-verified.ts'
import { encodeHex } from '../../shared/encoding/hex.ts'

/**
 * Requires that the evidence contains a quote for the given nonce. Rule 1 checks a fresh quote only if the bundle
 * contains one, so recorded evidence would pass without this check.
 * @throws {EvidenceRejectedError} with the rule `quote`
 */
export function requireFreshQuote(
  { fresh }: Pick<EvidenceBundle, 'fresh'>,
  nonce: Uint8Array<ArrayBuffer>,
): void {
  if (fresh?.nonce !== encodeHex(nonce))
    throw new EvidenceRejectedError('quote', 'the evidence has no quote for the requested nonce')
}
