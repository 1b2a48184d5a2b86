import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'
import { EvidenceRefused } from '../../shared/attestation/refused.ts'
import { encodeHex } from '../../shared/hex.ts'

/**
 * Requires a quote for the nonce that was sent. Rule 1 checks such a quote only if the bundle has one, so recorded
 * evidence would pass without this check.
 * @throws {EvidenceRefused} by the rule `quote`
 */
export function requireFreshQuote(
  { fresh }: Pick<EvidenceBundle, 'fresh'>,
  nonce: Uint8Array<ArrayBuffer>,
): void {
  if (fresh?.nonce !== encodeHex(nonce))
    throw new EvidenceRefused('quote', 'there is no quote for the nonce that was sent')
}
