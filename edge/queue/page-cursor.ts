/**
 * Page cursors of run lists. A cursor is opaque to clients and valid for one trigger. It identifies a run instead of an
 * offset from the newest run, so it stays valid while new runs arrive.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'

/** Stored in the first byte of a cursor. A new layout gets a new number. */
const VERSION = 1
const SEQUENCE_BYTES = 6
/** Length of the trigger ID prefix in a cursor, which is enough to distinguish the triggers of one account. */
const TRIGGER_BYTES = 8
const BYTES = 1 + SEQUENCE_BYTES + TRIGGER_BYTES

/** @param before sequence number below which the page starts */
export function encodeCursor(triggerId: string, before: number): string {
  const bytes = new Uint8Array(BYTES)
  bytes[0] = VERSION
  for (let at = SEQUENCE_BYTES, rest = before; at > 0; at--, rest = Math.floor(rest / 256))
    bytes[at] = rest % 256
  bytes.set(triggerPrefix(triggerId), 1 + SEQUENCE_BYTES)
  return encodeBase64url(bytes)
}

export function decodeCursor(triggerId: string, cursor: string): number | undefined {
  const bytes = decodeBase64url(cursor)
  if (bytes?.length !== BYTES || bytes[0] !== VERSION) return undefined
  const part = triggerPrefix(triggerId)
  if (part.some((byte, i) => byte !== bytes[1 + SEQUENCE_BYTES + i])) return undefined
  let before = 0
  for (let at = 1; at <= SEQUENCE_BYTES; at++) before = before * 256 + bytes[at]!
  return before
}

function triggerPrefix(triggerId: string): Uint8Array {
  const bytes = decodeBase64url(triggerId)
  if (!bytes) throw new Error('not a trigger ID')
  return bytes.subarray(0, TRIGGER_BYTES)
}
