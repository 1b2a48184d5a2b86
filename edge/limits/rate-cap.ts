import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import type { RateCapObject } from './rate-cap-object.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'

/**
 * Limits the rate of one caller across all isolates. The token bucket is not stored, so it is full again after an
 * eviction. This is acceptable, because the object is evicted only after its caller has been idle for a while.
 */
export class RateCap extends DurableObject<Env> implements RateCapObject {
  readonly #bucket = new TokenBucket()

  take(rate: Rate): number {
    return this.#bucket.take(rate, Date.now())
  }
}
