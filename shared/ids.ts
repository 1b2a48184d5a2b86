/**
 * IDs of triggers and runs. A trigger's ID is 16 random bytes followed by the first 8 bytes of their MAC: 32 characters
 * of base64url. A run's ID is the ID of its trigger plus 12 bytes: 48 characters. Both lengths are multiples of three
 * bytes, so the encodings concatenate without padding, and a run's ID starts with the ID of its trigger.
 */
import { decodeBase64url } from './encoding/base64url.ts'

export const TRIGGER_RANDOM_BYTES = 16
export const TRIGGER_MAC_BYTES = 8
export const RUN_SUFFIX_BYTES = 12
export const TRIGGER_ID_CHARACTERS = 32
export const RUN_ID_CHARACTERS = 48

/** ID of a bulk replay: 12 random bytes in base64url. */
export const REPLAY_ID_BYTES = 12
export const REPLAY_ID_CHARACTERS = 16

/** ID of an action in the library. The prefix distinguishes it from a CID. */
export const ACTION_ID_PATTERN = /^actn_[\w-]{22}$/

/** Domain separator, so that the MAC's key cannot authenticate any other data. */
export const TRIGGER_MAC_PURPOSE = 'svc/trigger-id/v1'

/** Returns `undefined` if the text does not have the format of an ID. */
export function parseTriggerId(id: string): { random: Uint8Array; mac: Uint8Array } | undefined {
  if (id.length !== TRIGGER_ID_CHARACTERS) return undefined
  const bytes = decodeBase64url(id)
  if (!bytes) return undefined
  return {
    random: bytes.subarray(0, TRIGGER_RANDOM_BYTES),
    mac: bytes.subarray(TRIGGER_RANDOM_BYTES),
  }
}

/** Returns `undefined` if the text does not have the format of a run's ID. */
export function triggerIdOfRun(runId: string): string | undefined {
  if (runId.length !== RUN_ID_CHARACTERS || !decodeBase64url(runId)) return undefined
  return runId.slice(0, TRIGGER_ID_CHARACTERS)
}
