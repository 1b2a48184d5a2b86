import { MINUTE_MS } from '../../shared/durations.ts'
import type { SealedRefusal } from '../../shared/wire/sealed.ts'
import type { TriggerState } from './trigger-state.ts'

/** Number of consecutive refused runs after which a trigger is disabled, if they span at least `REFUSALS_SPAN_MS`. */
const REFUSALS_MAX = 10
const REFUSALS_SPAN_MS = 15 * MINUTE_MS

/**
 * Counts consecutive refusals of a trigger's runs.
 * @param refusal the origin's response, if it refused to start the run
 * @returns true if this call disabled the trigger
 */
export function recordRefusal(
  state: TriggerState,
  refusal: SealedRefusal | undefined,
  now: number,
): boolean {
  const trigger = state.current
  if (!trigger) return false
  if (refusal?.status !== 401 && refusal?.status !== 403) {
    if (trigger.refusals > 0) state.updateFields({ refusals: 0, refusalsSince: null })
    return false
  }
  // If the stored start of the streak is in the future, the clock was set back, and the streak starts now instead.
  const since = Math.min(trigger.refusalsSince ?? now, now)
  const refusals = trigger.refusals + 1
  state.updateFields({ refusals, refusalsSince: since })
  if (!trigger.enabled || refusals < REFUSALS_MAX || now - since < REFUSALS_SPAN_MS) return false
  state.disable(disabledReason(refusals, since, refusal), now)
  return true
}

function disabledReason(refusals: number, since: number, { status, message, fix }: SealedRefusal) {
  const begin = new Date(since).toISOString()
  return [
    `The last ${refusals} runs, since ${begin}, were refused with status ${status}: ${message} ${fix}`,
    'Fix the cause, or set usage_api_key to a usage key that can execute the action, then set enabled to true.',
  ].join(' ')
}
