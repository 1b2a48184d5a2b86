/** Thrown if a comparison of policies would take too long. */
export class TooMuchWorkError extends Error {
  override name = 'TooMuchWorkError'
}

/** Maximum steps of a comparison: about 200 ms. Policies that people write take a few thousand steps. */
const STEPS_MAX = 3_000_000

/** Bounds the time of a comparison, because two documents of 64 KiB can be crafted to take hours. */
export class Work {
  #left = STEPS_MAX

  /** @throws {TooMuchWorkError} */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooMuchWorkError('the policies take too long to compare')
  }
}
