import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { DELIVERY_ID_MAX_CHARACTERS } from '../../shared/limits.ts'

/**
 * Returns the stored form of a key that an expression computed from an event. A long value is hashed, so that its size
 * in storage is bounded.
 * @param option name of the option. It contains an underscore and therefore differs from each header that identifies
 *   deliveries
 */
export function groupKey(option: `${string}_key`, value: string): string {
  if (value.length <= DELIVERY_ID_MAX_CHARACTERS) return `${option}:${value}`
  return `${option}#${encodeBase64url(sha256(new TextEncoder().encode(value)))}`
}
