import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'

/**
 * A tick always gets the same run ID, so it is never queued twice (`docs/decisions/0021`). It does not have to be
 * secret, because only the owner can read the run. The hash is synchronous, so that a tick and its records can be
 * stored in one transaction.
 * @param tick nominal time, in Unix milliseconds
 */
export function tickRunSuffix(triggerId: string, tick: number): string {
  const text = new TextEncoder().encode(`svc/tick/v1/${triggerId}/${tick}`)
  return encodeBase64url(sha256(text).subarray(0, RUN_SUFFIX_BYTES))
}

/** Such as `2026-05-22T13:05:00Z`. Omits milliseconds, because ticks are whole seconds. */
export function nominalTime(tick: number): string {
  return new Date(tick).toISOString().replace('.000Z', 'Z')
}
