/** The window of `max_runs_per_minute`: at most this many starts in any 60 s (`docs/decisions/0070`). */
export const PACE_WINDOW_MS = 60_000

/**
 * Returns when the next run may start: now, or when the oldest relevant start leaves the window.
 * @param starts times of past starts in ascending order, at least those within the window
 */
export function mayStartAt(starts: readonly number[], perMinute: number, now: number): number {
  const oldest = starts[starts.length - perMinute]
  return oldest === undefined ? now : Math.max(now, oldest + PACE_WINDOW_MS)
}

/** The stored start times, in ascending order. Times later than now are read as now. */
export type StartLog = {
  recent(now: number): number[]
  /** Removes one start with this time, if there is one. */
  remove(at: number): void
}

/**
 * The starts of one trigger within the window. If the clock is set back, all starts are treated as starts of this
 * moment: they count for another minute at most, and no minute exceeds the limit. If the clock is set forward, the
 * window empties as after 60 s, so each such step allows the limit once more.
 */
export class StartWindow {
  readonly #log: StartLog
  #starts: number[] | undefined

  constructor(log: StartLog) {
    this.#log = log
  }

  opensAt(perMinute: number, now: number): number {
    let starts = this.#starts
    if (!starts || starts.at(-1)! > now) starts = this.#starts = this.#log.recent(now)
    while (starts.length > 0 && starts[0]! <= now - PACE_WINDOW_MS) starts.shift()
    return mayStartAt(starts, perMinute, now)
  }

  /** Records a start. The window must have been open. */
  add(now: number): void {
    this.#starts?.push(now)
  }

  /**
   * Removes a start that executed nothing. Starts with the same time are interchangeable. If the clock was set back
   * since, the start has another time and stays in the window.
   */
  remove(at: number): void {
    this.#log.remove(at)
    const index = this.#starts?.lastIndexOf(at) ?? -1
    if (index >= 0) this.#starts!.splice(index, 1)
  }
}
