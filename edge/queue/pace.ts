/** The window of `max_runs_per_minute` (`decisions.md`): at most so many starts in any 60 s. */
export const PACE_WINDOW_MS = 60_000

/**
 * When the next run may start: now, or when the oldest start that counts leaves the window.
 * @param starts times of past starts in rising order, those of the window at least
 */
export function mayStartAt(starts: readonly number[], perMinute: number, now: number): number {
  const oldest = starts[starts.length - perMinute]
  return oldest === undefined ? now : Math.max(now, oldest + PACE_WINDOW_MS)
}
