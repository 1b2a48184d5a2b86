/** A deadline that survives the clock being set back. */
export type Wait = { since: number; until: number }

/** Clocks are routinely corrected by less than this. */
export const CLOCK_STEP_MS = 1_000

/**
 * Returns true if a wait is over. A wait that started in the future is over: the clock was set back, and the wait would
 * last until the clock has caught up. No wait lasts longer than twice its length, however the clock is set.
 */
export function isOver({ since, until }: Wait, now: number): boolean {
  return now >= until || now < since - CLOCK_STEP_MS
}
