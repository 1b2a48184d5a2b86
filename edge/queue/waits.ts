/** What is waited for by the clock, which may be set back in between. */
export type Wait = { since: number; until: number }

/** Clocks are corrected by less than this all the time. */
export const CLOCK_STEP_MS = 1_000

/**
 * Whether a wait is over. One that began later than now is: the clock was set back, and it would last as long as the
 * clock needs to get there again. So no wait lasts longer than twice its own length, however the clock is set.
 */
export function isOver({ since, until }: Wait, now: number): boolean {
  return now >= until || now < since - CLOCK_STEP_MS
}
