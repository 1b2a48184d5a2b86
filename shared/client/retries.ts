import {
  IN_PROGRESS_MAX_MS,
  RETRY_AFTER_MAX_S,
  RETRY_FIRST_MS,
  RETRY_TIMES,
  RETRY_WAIT_MAX_MS,
} from './limits.ts'
import type { SvcError } from './failures/svc-error.ts'
import { RetryAfterError, ServiceUnavailable, TooManyRequests } from './failures/by-status.ts'
import { NetworkFailed, NotTheApi } from './failures/transport-errors.ts'
import type { RetryOptions } from './options.ts'
import type { ClientRequest } from './request.ts'

type FailedAttempt = {
  failure: SvcError
  /** True if the response contains the receipt of a run that was stopped. */
  wasExecuted: boolean
}

export class Retries {
  readonly #remaining: { times: number; inProgressMs: number }
  readonly #random: (bytes: number) => Uint8Array
  #nextMs: number

  constructor(options: RetryOptions | undefined, random: (bytes: number) => Uint8Array) {
    const { times = RETRY_TIMES, firstMs = RETRY_FIRST_MS } = options ?? {}
    this.#remaining = { times, inProgressMs: IN_PROGRESS_MAX_MS }
    this.#nextMs = firstMs
    this.#random = random
  }

  /** Returns the delay before the next attempt, in milliseconds. Undefined if the call is not retried. */
  after(failed: FailedAttempt, repeat: ClientRequest['repeat']): number | undefined {
    const kind = kindOf(failed, repeat)
    if (kind === 'never') return undefined
    const { failure } = failed
    const afterS = (failure instanceof RetryAfterError && failure.retryAfterS) || 0
    if (afterS > RETRY_AFTER_MAX_S) return undefined
    const waitMs = afterS * 1000 + this.#jittered()
    // Another request with the same key is in progress, possibly an earlier attempt that lost its connection. That
    // request will finish, so waiting for it does not count as a retry.
    if (kind === 'in_progress') {
      this.#remaining.inProgressMs -= Math.max(waitMs, 1)
      return this.#remaining.inProgressMs < 0 ? undefined : waitMs
    }
    return this.#remaining.times-- > 0 ? waitMs : undefined
  }

  /** Returns a delay with full jitter, to avoid a thundering herd. */
  #jittered(): number {
    const maxMs = Math.min(this.#nextMs, RETRY_WAIT_MAX_MS)
    this.#nextMs = maxMs * 2
    const [high = 0, low = 0] = this.#random(2)
    return (maxMs * (high * 256 + low)) / 65_535
  }
}

function kindOf({ failure, wasExecuted }: FailedAttempt, repeat: ClientRequest['repeat']) {
  if (wasExecuted) return 'never'
  if (failure instanceof TooManyRequests) return 'again'
  if (repeat === 'never')
    return failure instanceof NetworkFailed && !failure.mayHaveBeenExecuted ? 'again' : 'never'
  if (failure instanceof ServiceUnavailable || failure instanceof NetworkFailed) return 'again'
  if (failure instanceof NotTheApi)
    // Proxies return these statuses while their backend is unavailable or overloaded.
    return (failure.status ?? 0) >= 500 || failure.status === 429 ? 'again' : 'never'
  return failure.code === 'request_in_progress' ? 'in_progress' : 'never'
}
