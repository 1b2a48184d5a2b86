import { OriginPause } from './origin-pause.ts'
import type { TriggerState } from './trigger-state.ts'
import type { Wait } from './waits.ts'

/** Runs wait for an absent origin for this long (`decisions.md`, Origin away). */
export const ORIGIN_AWAY_MAX_MS = 24 * 60 * 60 * 1000

/** Since when the origin has taken no run of a trigger: the pause until it is asked again, and the note on disk. */
export class OriginAbsence extends OriginPause {
  readonly #state: TriggerState

  constructor(state: TriggerState) {
    super()
    this.#state = state
  }

  /** Learns what an earlier life of the object knew. */
  load(wait: Wait | undefined): void {
    if (this.#since !== null) this.resume(wait)
  }

  get away(): boolean {
    return this.#since !== null
  }

  /** Whether it is away for so long that runs as old as that are given up. */
  isOverdue(now: number): boolean {
    return this.#since !== null && now - this.#since >= ORIGIN_AWAY_MAX_MS
  }

  override failed(now: number, random: number, retryAfterMs = 0): void {
    super.failed(now, random, retryAfterMs)
    // One that began later than now did so before the clock was set back.
    if (this.#since === null || this.#since > now) this.#note(now)
  }

  override answered(): void {
    super.answered()
    this.forget()
  }

  /** Nobody asks it any more: how long it stays away will not be known. */
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
