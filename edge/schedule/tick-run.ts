import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../../shared/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'

/**
 * The run's own part of the id of a tick's run: the same tick always makes the same run, so that it is never queued
 * twice (`DESIGN.md`, Ids). It is no secret; only the owner may read what it names. Computed at once, so that a tick
 * and what is noted of it are one transaction.
 * @param tick its nominal time, Unix milliseconds
 */
export function tickRunSuffix(triggerId: string, tick: number): string {
  const text = new TextEncoder().encode(`svc/tick/v1/${triggerId}/${tick}`)
  return encodeBase64url(sha256(text).subarray(0, RUN_SUFFIX_BYTES))
}

/** A nominal time as actions see it: `2026-05-22T13:05:00Z`. Ticks are whole seconds. */
export function nominalTime(tick: number): string {
  return new Date(tick).toISOString().replace('.000Z', 'Z')
}
