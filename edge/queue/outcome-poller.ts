import { errorReason } from '../../shared/errors/api-error.ts'
import { OUTCOMES_WAIT_MS } from '../../shared/limits.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'

type Waiter = { resolve: (outcome: Outcome | 'unknown') => void; reject: (error: unknown) => void }

/** The next request polls the remaining runs. */
const IDS_PER_REQUEST = 64

/**
 * Long-polling time if one request cannot include all runs. The time is short, so that the remaining runs are polled
 * soon.
 */
const CROWDED_WAIT_MS = 500

/**
 * Polls the outcomes of all runs of one object over a single connection. Adding a run aborts the request in flight and
 * sends a new one. Aborting a request never cancels a run.
 */
export class OutcomePoller {
  readonly #origin: Pick<SealedOrigin, 'outcomes'>
  readonly #onAllRunning: () => void
  /**
   * Callers that wait for an outcome, by run ID and in polling order. Runs that were reported as running move to the
   * end.
   */
  readonly #waiters = new Map<string, Waiter>()
  #request: AbortController | undefined
  #isPolling = false

  /**
   * @param onAllRunning called after a response that reports all polled runs as running. Such a response shows that the
   * origin is available.
   */
  constructor(origin: Pick<SealedOrigin, 'outcomes'>, onAllRunning: () => void) {
    this.#origin = origin
    this.#onAllRunning = onAllRunning
  }

  /**
   * Waits for the outcome of a run. Resolves to `unknown` if the origin never started the run.
   * @throws {OriginUnavailableError} if the origin is unreachable or refuses the request
   */
  outcome(runId: string): Promise<Outcome | 'unknown'> {
    return new Promise((resolve, reject) => {
      this.#waiters.set(runId, { resolve, reject })
      this.#request?.abort()
      if (!this.#isPolling) void this.#poll()
    })
  }

  async #poll(): Promise<void> {
    this.#isPolling = true
    while (this.#waiters.size > 0) {
      const request = new AbortController()
      this.#request = request
      const runIds = [...this.#waiters.keys()].slice(0, IDS_PER_REQUEST)
      try {
        await this.#pollOnce(runIds, request.signal)
      } catch (error) {
        if (!request.signal.aborted) this.#rejectAll(error)
      }
    }
    this.#request = undefined
    this.#isPolling = false
  }

  async #pollOnce(runIds: string[], signal: AbortSignal): Promise<void> {
    const crowded = this.#waiters.size > runIds.length
    const wait_ms = crowded ? CROWDED_WAIT_MS : OUTCOMES_WAIT_MS
    const response = await this.#origin.outcomes({ run_ids: runIds, wait_ms }, signal)
    if (response.state === 'refused')
      throw new OriginUnavailableError(`outcomes refused: ${errorReason(response)}`)
    for (const [runId, outcome] of Object.entries(response.ended)) this.#resolve(runId, outcome)
    for (const runId of response.unknown) this.#resolve(runId, 'unknown')
    for (const runId of response.running) this.#moveToEnd(runId)
    if (response.running.length === runIds.length) this.#onAllRunning()
  }

  #resolve(runId: string, outcome: Outcome | 'unknown'): void {
    this.#waiters.get(runId)?.resolve(outcome)
    this.#waiters.delete(runId)
  }

  #moveToEnd(runId: string): void {
    const waiter = this.#waiters.get(runId)
    if (!waiter) return
    this.#waiters.delete(runId)
    this.#waiters.set(runId, waiter)
  }

  #rejectAll(error: unknown): void {
    const waiters = [...this.#waiters.values()]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.reject(error)
  }
}
