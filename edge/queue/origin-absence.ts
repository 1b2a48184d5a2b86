import { OriginPause } from './origin-pause.ts'
import type { TriggerState } from './trigger-state.ts'
import type { Wait } from './waits.ts'

/** Maximum time for which runs wait for an unavailable origin (`docs/decisions/0020`). */
export const ORIGIN_AWAY_MAX_MS = 24 * 60 * 60 * 1000

/** Circuit breaker for the origin. The start of an outage is stored on disk. */
export class OriginAbsence extends OriginPause {
  readonly #state: TriggerState

  constructor(state: TriggerState) {
    super()
    this.#state = state
  }

  /**
   * Called after an eviction.
   * @param wait the stored backoff of the runs that wait for the origin
   */
  load(wait: Wait | undefined): void {
    if (this.#since !== null) this.resume(wait)
  }

  get away(): boolean {
    return this.#since !== null
  }

  /** Runs that have waited this long fail. */
  isOverdue(now: number): boolean {
    return this.#since !== null && now - this.#since >= ORIGIN_AWAY_MAX_MS
  }

  override failed(now: number, random: number, retryAfterMs = 0): void {
    super.failed(now, random, retryAfterMs)
    // If the stored start of the outage is in the future, the clock was set back.
    if (this.#since === null || this.#since > now) this.#note(now)
  }

  override answered(): void {
    super.answered()
    this.forget()
  }

  /** Called while no runs are sent to the origin, because the end of the outage would go unnoticed. */
  forget(): void {
    if (this.#since !== null) this.#note(null)
  }

  get #since(): number | null {
    return this.#state.current?.originAwaySince ?? null
  }

  #note(originAwaySince: number | null): void {
    if (this.#state.current) this.#state.note({ originAwaySince })
  }
}
