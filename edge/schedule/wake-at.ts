import { decodeBase64url } from '../../shared/base64url.ts'

/**
 * An object may be evicted after ten seconds of inactivity. An object that was used within this time is still in
 * memory.
 */
const AWAKE_MS = 8_000
/** Objects are woken 2 s to 7 s before their tick. */
const WOKEN_BEFORE_MS = 2_000
const WOKEN_OVER_MS = 5_000

/**
 * Returns when the alarm has to fire for a tick: at the tick, and once before. Loading an object takes longer than
 * firing its tick, and many objects have ticks in the same second. They are loaded one after the other, and then only
 * have to fire.
 */
export function wakeAt(triggerId: string, tick: number, now: number): number {
  if (tick - now <= AWAKE_MS) return tick
  // The first byte of the ID is random.
  const share = (decodeBase64url(triggerId)?.[0] ?? 0) / 256
  return tick - WOKEN_BEFORE_MS - Math.floor(share * WOKEN_OVER_MS)
}
