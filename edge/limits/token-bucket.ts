import { MINUTE_MS } from '../../shared/durations.ts'

export type Rate = { burst: number; perMinute: number }

/** Token bucket, implemented as GCRA: its only state is the time at which the bucket is full again. */
export class TokenBucket {
  #fullAt = Number.NEGATIVE_INFINITY

  /**
   * @param now Unix milliseconds
   * @returns 0 if a token was available, otherwise the milliseconds until a token is available
   */
  take({ burst, perMinute }: Rate, now: number): number {
    const intervalMs = MINUTE_MS / perMinute
    // `latest` is the time at which an empty bucket would be full again. Using it as an upper bound limits the delay if
    // the clock was set back.
    const latest = now + burst * intervalMs
    const fullAt = Math.min(Math.max(this.#fullAt, now), latest)
    const waitMs = fullAt + intervalMs - latest
    this.#fullAt = waitMs > 0 ? fullAt : fullAt + intervalMs
    return Math.max(0, Math.ceil(waitMs))
  }
}
