/** Start and end of a wait, in Unix milliseconds. The start is needed to detect that the clock was set back. */
export type Deadline = { since: number; until: number }

/** Tolerance for routine clock corrections. */
export const CLOCK_TOLERANCE_MS = 1_000

/**
 * Returns true if a wait is over. A wait that starts in the future also counts as over, because the clock was set back.
 * Otherwise, the wait would last until the clock has caught up. No wait lasts longer than twice its length, even if the
 * clock is changed.
 */
export function isPast({ since, until }: Deadline, now: number): boolean {
  return now >= until || now < since - CLOCK_TOLERANCE_MS
}
