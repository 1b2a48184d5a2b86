import { reasonOf } from '../../shared/errors.ts'
import { OUTCOMES_WAIT_MS } from '../../shared/limits.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { OriginAway } from '../trust/origin-away.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'

type Waiter = { resolve: (outcome: Outcome | 'unknown') => void; reject: (error: unknown) => void }

/** Maximum number of run IDs in one request. The remaining runs are polled by the next request. */
const IDS_PER_QUESTION = 64

/** Long-polling time of a request without room for all runs, so that the remaining runs are polled soon. */
const CROWDED_WAIT_MS = 500

/**
 * Polls the outcomes of all runs of one object over a single connection. Adding a run aborts the request in flight and
 * sends a new one. Aborting a request never cancels a run.
 */
export class OutcomePoller {
  readonly #origin: Pick<SealedOrigin, 'outcomes'>
  readonly #stillRunning: () => void
  /** By run ID and in polling order. The runs of the last request are at the end. */
  readonly #waiters = new Map<string, Waiter>()
  #question: AbortController | undefined
  #asking = false

  /**
   * @param stillRunning called after a response that reports all polled runs as running. Such a response shows that the
   * origin is available.
   */
  constructor(origin: Pick<SealedOrigin, 'outcomes'>, stillRunning: () => void) {
    this.#origin = origin
    this.#stillRunning = stillRunning
  }

  /**
   * Resolves to `unknown` if the origin never started the run.
   * @throws {OriginAway} if the origin is unreachable or refuses the request
   */
  outcome(runId: string): Promise<Outcome | 'unknown'> {
    return new Promise((resolve, reject) => {
      this.#waiters.set(runId, { resolve, reject })
      this.#question?.abort()
      if (!this.#asking) void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    this.#asking = true
    while (this.#waiters.size > 0) {
      const question = new AbortController()
      this.#question = question
      const runIds = [...this.#waiters.keys()].slice(0, IDS_PER_QUESTION)
      try {
        await this.#askOnce(runIds, question.signal)
      } catch (error) {
        if (!question.signal.aborted) this.#rejectAll(error)
      }
    }
    this.#question = undefined
    this.#asking = false
  }

  async #askOnce(runIds: string[], signal: AbortSignal): Promise<void> {
    const crowded = this.#waiters.size > runIds.length
    const wait_ms = crowded ? CROWDED_WAIT_MS : OUTCOMES_WAIT_MS
    const answer = await this.#origin.outcomes({ run_ids: runIds, wait_ms }, signal)
    if (answer.state === 'refused') throw new OriginAway(`outcomes refused: ${reasonOf(answer)}`)
    for (const [runId, outcome] of Object.entries(answer.ended)) this.#resolve(runId, outcome)
    for (const runId of answer.unknown) this.#resolve(runId, 'unknown')
    for (const runId of answer.running) this.#toTheEnd(runId)
    if (answer.running.length === runIds.length) this.#stillRunning()
  }

  #resolve(runId: string, outcome: Outcome | 'unknown'): void {
    this.#waiters.get(runId)?.resolve(outcome)
    this.#waiters.delete(runId)
  }

  #toTheEnd(runId: string): void {
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
