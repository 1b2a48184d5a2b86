/**
 * The place at which a page of a history ends, as a client gets it: opaque, and good for one trigger. It names a
 * run, not a distance from the newest, so that it stays where it is while runs arrive.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'

/** The first byte: another layout gets another number. */
const VERSION = 1
const SEQUENCE_BYTES = 6
/** As much of the trigger's id as tells it from an account's others. */
const TRIGGER_BYTES = 8
const BYTES = 1 + SEQUENCE_BYTES + TRIGGER_BYTES

/** @param before the page continues with the runs below this sequence */
export function encodeCursor(triggerId: string, before: number): string {
  const bytes = new Uint8Array(BYTES)
  bytes[0] = VERSION
  for (let at = SEQUENCE_BYTES, rest = before; at > 0; at--, rest = Math.floor(rest / 256))
    bytes[at] = rest % 256
  bytes.set(triggerPart(triggerId), 1 + SEQUENCE_BYTES)
  return encodeBase64url(bytes)
}

/** @returns the sequence, or `undefined` for a text that is no cursor of this trigger */
export function decodeCursor(triggerId: string, cursor: string): number | undefined {
  const bytes = decodeBase64url(cursor)
  if (bytes?.length !== BYTES || bytes[0] !== VERSION) return undefined
  const part = triggerPart(triggerId)
  if (part.some((byte, i) => byte !== bytes[1 + SEQUENCE_BYTES + i])) return undefined
  let before = 0
  for (let at = 1; at <= SEQUENCE_BYTES; at++) before = before * 256 + bytes[at]!
  return before
}

function triggerPart(triggerId: string): Uint8Array {
  const bytes = decodeBase64url(triggerId)
  if (!bytes) throw new Error('not a trigger’s id')
  return bytes.subarray(0, TRIGGER_BYTES)
}
