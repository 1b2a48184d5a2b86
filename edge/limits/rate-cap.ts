import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'

/**
 * One caller's rate, the same for every isolate of the edge. It stores nothing: an object that was evicted begins with
 * a full bucket, which only who was silent for a while gets.
 */
export class RateCap extends DurableObject<Env> {
  readonly #bucket = new TokenBucket()

  /** @returns 0 when the call may be made, else the milliseconds until the next one may */
  take(rate: Rate): number {
    return this.#bucket.take(rate, Date.now())
  }
}
