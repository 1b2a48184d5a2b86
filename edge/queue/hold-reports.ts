import { MINUTE_MS } from '../../shared/durations.ts'
import type { WaitingFor } from '../../shared/wire/trigger.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { TriggerState } from './trigger-state.ts'

/** Shorter outages of the origin, such as a restart, are not reported. */
const ORIGIN_AWAY_MS = 5 * MINUTE_MS

/**
 * Reports to the owner that runs wait for credit, an allowance or the origin, and that they no longer do. What was
 * reported is stored, so that each change is reported once.
 */
export class HoldReports {
  readonly #state: TriggerState
  readonly #reports: PendingReports

  constructor(state: TriggerState, reports: PendingReports) {
    this.#state = state
    this.#reports = reports
  }

  /** Returns true if a hold was reported and has not ended. */
  get isOpen(): boolean {
    return (this.#state.current?.reportedHold ?? null) !== null
  }

  /** Must be called when the trigger may have begun to wait, and after each attempt while `isOpen`. */
  update(waitingFor: WaitingFor | null, now: number): void {
    const trigger = this.#state.current
    if (!trigger || waitingFor === trigger.reportedHold) return
    const awayMs = now - (trigger.originAwaySince ?? now)
    if (waitingFor === 'origin' && !this.isOpen && awayMs < ORIGIN_AWAY_MS) return
    const state = waitingFor === null ? 'resolved' : 'open'
    const signal = 'trigger_held'
    this.#reports.add({ kind: 'signal', signal, state, code: waitingFor, message: null })
    this.#state.updateFields({ reportedHold: waitingFor })
  }
}
