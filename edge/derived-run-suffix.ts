import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../shared/encoding/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../shared/ids.ts'

/**
 * Returns the part of a run ID that follows the trigger ID. The suffix depends only on the event, so that an event
 * never has two runs. It does not have to be secret, because only the owner can read the run. The hash is synchronous,
 * so that an event and its records can be stored in one transaction.
 */
export function derivedRunSuffix(event: string): string {
  return encodeBase64url(sha256(new TextEncoder().encode(event)).subarray(0, RUN_SUFFIX_BYTES))
}
