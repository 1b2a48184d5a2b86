/**
 * Ids of triggers and runs (`DESIGN.md`, Ids).
 *
 * A trigger's id is 16 random bytes and the first 8 bytes of their MAC, 32 characters of base64url. A run's
 * id is its trigger's id and 12 bytes more, 48 characters. Both lengths are multiples of three bytes, so
 * the texts join without padding and a run's trigger can be read off its id.
 */
import { decodeBase64url } from './base64url.ts'

export const TRIGGER_RANDOM_BYTES = 16
export const TRIGGER_MAC_BYTES = 8
export const RUN_SUFFIX_BYTES = 12
export const TRIGGER_ID_CHARACTERS = 32
export const RUN_ID_CHARACTERS = 48

/** What the MAC covers: a purpose, so that the key can never vouch for anything else, and the random part. */
export const TRIGGER_MAC_PURPOSE = 'svc/trigger-id/v1'

/** The random part and the MAC of a trigger's id, or `undefined` where the text has not the shape. */
export function parseTriggerId(id: string): { random: Uint8Array; mac: Uint8Array } | undefined {
  if (id.length !== TRIGGER_ID_CHARACTERS) return undefined
  const bytes = decodeBase64url(id)
  if (!bytes) return undefined
  return {
    random: bytes.subarray(0, TRIGGER_RANDOM_BYTES),
    mac: bytes.subarray(TRIGGER_RANDOM_BYTES),
  }
}

/** The trigger that a run belongs to, or `undefined` where the text has not the shape of a run's id. */
export function triggerOfRun(runId: string): string | undefined {
  if (runId.length !== RUN_ID_CHARACTERS || !decodeBase64url(runId)) return undefined
  return runId.slice(0, TRIGGER_ID_CHARACTERS)
}
