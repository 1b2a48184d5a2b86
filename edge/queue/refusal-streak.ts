import type { Refusal } from '../../shared/wire/sealed.ts'
import type { TriggerState } from './trigger-state.ts'

/** A trigger whose runs are all refused is disabled after so many over so long (`decisions.md`, 401, 403). */
const REFUSALS_MAX = 10
const REFUSALS_FOR_MS = 15 * 60 * 1000

/** Counts the runs in a row whose key was refused, and disables the trigger when it has no use any more. */
export class RefusalStreak {
  readonly #state: TriggerState

  constructor(state: TriggerState) {
    this.#state = state
  }

  /**
   * A run has ended.
   * @param refusal the answer, where it was not begun
   * @returns whether that disabled the trigger
   */
  ended(refusal: Refusal | undefined, now: number): boolean {
    const trigger = this.#state.current
    if (!trigger) return false
    if (refusal?.status !== 401 && refusal?.status !== 403) {
      if (trigger.refusals > 0) this.#state.note({ refusals: 0, refusalsSince: null })
      return false
    }
    // A streak that began later than now did so before the clock was set back.
    const since = Math.min(trigger.refusalsSince ?? now, now)
    const refusals = trigger.refusals + 1
    this.#state.note({ refusals, refusalsSince: since })
    if (!trigger.enabled || refusals < REFUSALS_MAX || now - since < REFUSALS_FOR_MS) return false
    this.#state.disable(disabledReason(refusals, since, refusal), now)
    return true
  }
}

function disabledReason(refusals: number, since: number, { status, message, fix }: Refusal) {
  const begin = new Date(since).toISOString()
  return [
    `The last ${refusals} runs, since ${begin}, were refused with status ${status}: ${message} ${fix}`,
    'To go on, put that right, or set usage_api_key to a usage key that may execute the action, and set enabled to true.',
  ].join(' ')
}
