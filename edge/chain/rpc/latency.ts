/** Number of latency samples, which cover about the last minute. */
const SAMPLES_MAX = 15

export class Latency {
  readonly #latest: number[] = []

  add(ms: number): void {
    this.#latest.push(ms)
    if (this.#latest.length > SAMPLES_MAX) this.#latest.shift()
  }

  /** Median latency in milliseconds. Null before the first response. */
  get median(): number | null {
    const sorted = this.#latest.toSorted((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? null
  }
}
