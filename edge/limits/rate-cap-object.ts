import type { Rate } from './token-bucket.ts'

export interface RateCapObject {
  /** @returns 0 if the call is allowed, otherwise the milliseconds until the next call is allowed */
  take(rate: Rate): number
}
