import { decodeBase64url } from '../../shared/base64url.ts'

/** An object that was idle for ten seconds may be taken out of memory; one that has just been used is in it. */
const AWAKE_MS = 8_000
/** It is woken this long before its tick, the earliest one so much earlier than the last. */
const WOKEN_BEFORE_MS = 2_000
const WOKEN_OVER_MS = 5_000

/**
 * When the alarm has to fire for a tick: at the tick, and once before. Loading an object takes longer than firing its
 * tick, and many have theirs at the same second: they are woken one after the other, and then only have to fire.
 */
export function wakeAt(triggerId: string, tick: number, now: number): number {
  if (tick - now <= AWAKE_MS) return tick
  // The id's first byte is random.
  const share = (decodeBase64url(triggerId)?.[0] ?? 0) / 256
  return tick - WOKEN_BEFORE_MS - Math.floor(share * WOKEN_OVER_MS)
}
