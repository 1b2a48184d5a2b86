import { decodeBase64url } from '../../shared/encoding/base64url.ts'

/** Time for which a Durable Object is assumed to stay in memory. It may be evicted after ten seconds of inactivity. */
const AWAKE_MS = 8_000
/** Durable Objects are woken 2 s to 7 s before their tick. */
const WOKEN_BEFORE_MS = 2_000
const WOKEN_OVER_MS = 5_000

/**
 * Returns the time of the next alarm for a tick. The first alarm fires shortly before the tick and loads the Durable
 * Object. The second alarm fires at the tick. Loading takes longer than firing, and many objects have ticks in the same
 * second. The objects are therefore loaded at different times in advance, so that only the firing is left for that
 * second.
 */
export function wakeAt(triggerId: string, tick: number, now: number): number {
  if (tick - now <= AWAKE_MS) return tick
  // The first byte of a trigger ID is random, so it spreads the wake-ups.
  const share = (decodeBase64url(triggerId)?.[0] ?? 0) / 256
  return tick - WOKEN_BEFORE_MS - Math.floor(share * WOKEN_OVER_MS)
}
