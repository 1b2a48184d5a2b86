/** A comparison of policies was given up, because it would take too long. */
export class TooMuchWorkError extends Error {
  override name = 'TooMuchWorkError'
}

/** Steps of a comparison, which take about 200 ms. Policies that people write take a few thousand. */
const STEPS_MAX = 3_000_000

/** Bounds the time of one comparison: two documents of 64 KiB could be written to take hours. */
export class Work {
  #left = STEPS_MAX

  /** @throws {TooMuchWorkError} */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooMuchWorkError('the policies take too long to compare')
  }
}
