import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import type { RateCapObject } from './rate-cap-object.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'

/**
 * Limits the rate of one caller across all isolates. It stores nothing, so its bucket is full again after an eviction.
 * An object is evicted only if its caller has been idle for a while.
 */
export class RateCap extends DurableObject<Env> implements RateCapObject {
  readonly #bucket = new TokenBucket()

  take(rate: Rate): number {
    return this.#bucket.take(rate, Date.now())
  }
}
