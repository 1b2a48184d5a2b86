/** RPC interface of the Durable Object that limits the rate of one caller. */
import type { Rate } from './token-bucket.ts'

export interface RateCapObject {
  /**
   * Counts one call against the rate limit.
   * @returns 0 if the call is allowed, otherwise the number of milliseconds until the next call is allowed
   */
  take(rate: Rate): number
}
