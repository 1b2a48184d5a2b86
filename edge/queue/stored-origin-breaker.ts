import { DAY_MS } from '../../shared/durations.ts'
import type { Deadline } from '../../shared/deadline.ts'
import { OriginBreaker } from './origin-breaker.ts'
import type { TriggerState } from './trigger-state.ts'

/** Maximum time for which runs wait for an unavailable origin (`docs/decisions/0020`). */
export const OUTAGE_MAX_MS = DAY_MS

/** Circuit breaker for the origin that also stores the start of an outage on disk. */
export class StoredOriginBreaker extends OriginBreaker {
  readonly #state: TriggerState

  constructor(state: TriggerState) {
    super()
    this.#state = state
  }

  /** Restores the circuit breaker after an eviction. */
  load(wait: Deadline | undefined): void {
    if (this.#outageSince !== null) this.resume(wait)
  }

  get isAway(): boolean {
    return this.#outageSince !== null
  }

  isOverdue(now: number): boolean {
    return this.#outageSince !== null && now - this.#outageSince >= OUTAGE_MAX_MS
  }

  override recordFailure(now: number, random: number, retryAfterMs = 0): void {
    super.recordFailure(now, random, retryAfterMs)
    // If the stored start of the outage is in the future, the clock was set back, and the start is replaced.
    if (this.#outageSince === null || this.#outageSince > now) this.#storeOutage(now)
  }

  override recordSuccess(): void {
    super.recordSuccess()
    this.endOutage()
  }

  /** Also called while no runs are sent to the origin, because the end of the outage would otherwise go unnoticed. */
  endOutage(): void {
    if (this.#outageSince !== null) this.#storeOutage(null)
  }

  get #outageSince(): number | null {
    return this.#state.current?.originAwaySince ?? null
  }

  #storeOutage(originAwaySince: number | null): void {
    if (this.#state.current) this.#state.updateFields({ originAwaySince })
  }
}
