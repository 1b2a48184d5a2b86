import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'

/**
 * Rate limit of one caller, shared by all isolates of the edge. It stores nothing. After an eviction the bucket is full
 * again, but an object is evicted only if its caller has been idle for a while.
 */
export class RateCap extends DurableObject<Env> {
  readonly #bucket = new TokenBucket()

  /** @returns 0 if the call is allowed, else the milliseconds until the next one is */
  take(rate: Rate): number {
    return this.#bucket.take(rate, Date.now())
  }
}
