import { backoffMs } from '../../shared/backoff.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { isEndPast } from '../deadline.ts'
import { type Sleep, withTimeout } from '../sleep.ts'

type StateOutboxOptions = { now: () => number; sleep: Sleep }

/** The delay doubles with each failure, up to a minute. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

/** After this time, the alarm continues the delivery, because the change is already stored. */
const CALLER_WAIT_MS = 2_000

const CALL_TIMEOUT_MS = 15_000

/**
 * Transactional outbox: replicates an object's state until the receiver acknowledges it. The object first stores its
 * state with a pending mark, so that the alarm can resume an interrupted delivery. Only one delivery is in flight at a
 * time. The delivery is repeated until the mark is cleared, so that changes made in the meantime are sent too.
 */
export abstract class StateOutbox {
  readonly #now: () => number
  readonly #sleep: Sleep
  #inFlight: Promise<void> | undefined
  /** Number of calls that have not completed. A call that timed out may still take effect. */
  #unresolvedCalls = 0
  #failures = 0
  #retryAt = 0

  constructor({ now, sleep }: StateOutboxOptions) {
    this.#now = now
    this.#sleep = sleep
  }

  protected abstract isPending(): boolean
  /**
   * Sends the current state to the receiver once. Clears the pending mark, unless the state has changed in the
   * meantime.
   */
  protected abstract deliver(): Promise<void>
  protected abstract recordFailure(reason: string, failures: number): void

  /** Sends a pending update, and waits for at most `CALLER_WAIT_MS`. Never throws. */
  async flush(): Promise<void> {
    const delivery = this.#startDelivery()
    if (delivery) await withTimeout(delivery, CALLER_WAIT_MS, this.#sleep)
  }

  runDue(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.isPending()) return undefined
    if (!isEndPast(this.#retryAt, RETRY_MAX_MS, now)) return this.#retryAt
    const delivery = this.#startDelivery()
    if (delivery) keepAlive(delivery)
    return now + RETRY_MS
  }

  /** @throws {Error} if the call to the receiver fails or times out */
  protected async callReceiver(call: Promise<void>): Promise<void> {
    this.#unresolvedCalls++
    const settled = call.finally(() => this.#unresolvedCalls--).then(() => true)
    if (!(await withTimeout(settled, CALL_TIMEOUT_MS, this.#sleep))) throw new Error('no response')
  }

  protected get hasUnresolvedCalls(): boolean {
    return this.#unresolvedCalls > 0
  }

  #startDelivery(): Promise<void> | undefined {
    if (!this.isPending()) return undefined
    return (this.#inFlight ??= this.#deliverUntilAcknowledged())
  }

  async #deliverUntilAcknowledged(): Promise<void> {
    try {
      while (this.isPending()) await this.deliver()
      this.#failures = 0
    } catch (error) {
      this.#retryAt = this.#now() + backoffMs(this.#failures, RETRY_MS, RETRY_MAX_MS)
      this.#failures++
      this.recordFailure(rootCauseText(error), this.#failures)
    } finally {
      // There is no `await` between the last check of the pending mark and this line, so the next caller starts a new
      // delivery.
      this.#inFlight = undefined
    }
  }
}
