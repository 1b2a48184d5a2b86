const FIRST_MS = 2_000
const MAX_MS = 15_000
const GROWTH = 1.5

/** Exponential backoff that starts again after each change. @param beforeMs the previous pause, or 0 */
export const nextPollMs = (beforeMs: number, isChanged: boolean): number =>
  isChanged || beforeMs === 0 ? FIRST_MS : Math.min(MAX_MS, beforeMs * GROWTH)
