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

/** The stored starts: times in rising order. Times later than now are read as now. */
export type StartLog = {
  recent(now: number): number[]
  /** Removes one start of this time, if there is one. */
  remove(at: number): void
}

/**
 * The starts of one trigger in the window. A clock that is set back makes all of them starts of this moment: they
 * count for another minute at most, and no minute has more than the cap. One that is set forward empties the window
 * as 60 s would, so each such step allows the cap once more.
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

  /** A run has been started, at a time that the window was open. */
  add(now: number): void {
    this.#starts?.push(now)
  }

  /**
   * The start of this time executed nothing. Starts of one time are interchangeable. If the clock was set back since,
   * the start has another time and stays in the window.
   */
  remove(at: number): void {
    this.#log.remove(at)
    const index = this.#starts?.lastIndexOf(at) ?? -1
    if (index >= 0) this.#starts!.splice(index, 1)
  }
}
