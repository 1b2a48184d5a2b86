/** How many answers count: the last minute's or so. */
const ANSWERS_MAX = 15

/** How long an endpoint takes to answer. */
export class Latency {
  readonly #latest: number[] = []

  add(ms: number): void {
    this.#latest.push(ms)
    if (this.#latest.length > ANSWERS_MAX) this.#latest.shift()
  }

  /** Milliseconds; `null` before the first answer. */
  get median(): number | null {
    const sorted = this.#latest.toSorted((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? null
  }
}
