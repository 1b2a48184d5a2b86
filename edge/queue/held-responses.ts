import { HELD_RESPONSES_MAX } from '../../shared/limits.ts'
import type { RunStore } from './run-store.ts'
import type { RunWaiters } from './run-waiters.ts'

/** `response` is the action's response as JSON text. */
export type RunOutcome =
  | { state: 'success'; response: string }
  | { state: 'failed' }
  /** The run has not ended yet, or too many requests wait for runs of this trigger. */
  | { state: 'pending' }

type HeldResponsesOptions = {
  store: Pick<RunStore, 'hasEnded' | 'bySuffix' | 'result'>
  waiters: Pick<RunWaiters, 'wait'>
}

/** Responses to senders that wait for a run (`options.respond`). */
export class HeldResponses {
  readonly #options: HeldResponsesOptions
  #held = 0

  constructor(options: HeldResponsesOptions) {
    this.#options = options
  }

  /** Waits until the run ends, but at most this long. */
  async wait(suffix: string, ms: number): Promise<RunOutcome> {
    const { store, waiters } = this.#options
    if (store.hasEnded(suffix) === false) {
      if (this.#held >= HELD_RESPONSES_MAX) return { state: 'pending' }
      this.#held++
      await waiters.wait(suffix, ms)
      this.#held--
    }
    const run = store.bySuffix(suffix)
    if (run?.status === 'failed') return { state: 'failed' }
    if (run?.status !== 'success') return { state: 'pending' }
    return { state: 'success', response: JSON.stringify(store.result(run)?.response ?? null) }
  }
}
