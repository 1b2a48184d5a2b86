export type Rate = { burst: number; perMinute: number }

const MINUTE_MS = 60_000

/** A token bucket in memory (as GCRA: the time at which it is full again is all that it knows). */
export class TokenBucket {
  #fullAt = Number.NEGATIVE_INFINITY

  /**
   * Takes one token.
   * @param now unix milliseconds
   * @returns 0 when there was one, else the milliseconds until there is
   */
  take({ burst, perMinute }: Rate, now: number): number {
    const intervalMs = MINUTE_MS / perMinute
    // An empty bucket is full after this: a clock that was set back holds nobody up for longer.
    const latest = now + burst * intervalMs
    const fullAt = Math.min(Math.max(this.#fullAt, now), latest)
    const waitMs = fullAt + intervalMs - latest
    this.#fullAt = waitMs > 0 ? fullAt : fullAt + intervalMs
    return Math.max(0, Math.ceil(waitMs))
  }
}
