/** Tracks runs that were started in this tab. They continue while another view is open. */
import type { ApiClient } from '../../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../../shared/client/sovereign/client.ts'
import type { ActionAnswer } from '../../../../shared/client/core/execution.ts'
import { perConnection } from '../connection.ts'
import { balanceChanges, Listeners } from '../listeners.ts'

export type ActionRunner = Pick<ApiClient | SovereignClient, 'svcAction'>

export type ActionRun = {
  number: number
  source: string
  /** Start time in Unix milliseconds. */
  startedAt: number
  /** State of the run. `detached` means that this page stopped waiting for the result, but the run continues. */
  state: 'in progress' | 'detached' | 'ended'
  answer?: ActionAnswer
  failure?: unknown
}

const KEPT_RUNS = 10

class ActionRuns {
  readonly changes = new Listeners()
  #runs: ActionRun[] = []
  #lastNumber = 0
  readonly #pending = new Map<number, { again: () => void; stop: AbortController }>()

  get all(): readonly ActionRun[] {
    return this.#runs
  }

  start(runner: ActionRunner, code: string, js_params: Record<string, unknown>): void {
    const number = ++this.#lastNumber
    // The idempotency key ensures that the action is executed only once, however often its result is requested.
    const idempotencyKey = crypto.randomUUID()
    const wait = () => {
      const stop = new AbortController()
      this.#pending.set(number, { again: wait, stop })
      const options = { idempotencyKey, signal: stop.signal }
      runner.svcAction({ code, js_params }, options).then(
        (answer) => {
          this.#change(number, { state: 'ended', answer })
          balanceChanges.notify()
        },
        (failure: unknown) => {
          if (!stop.signal.aborted) this.#change(number, { state: 'ended', failure })
        },
      )
    }
    const run: ActionRun = { number, source: code, startedAt: Date.now(), state: 'in progress' }
    this.#runs = [run, ...this.#runs].slice(0, KEPT_RUNS)
    wait()
    this.changes.notify()
  }

  /** Stops waiting for a run's result. The run continues, and its result can be requested again. */
  stopWaiting(number: number): void {
    this.#pending.get(number)?.stop.abort()
    this.#change(number, { state: 'detached' })
  }

  waitAgain(number: number): void {
    this.#change(number, { state: 'in progress' })
    this.#pending.get(number)?.again()
  }

  #change(number: number, change: Partial<ActionRun>): void {
    this.#runs = this.#runs.map((run) => (run.number === number ? { ...run, ...change } : run))
    if (change.state === 'ended') this.#pending.delete(number)
    this.changes.notify()
  }
}

export const actionRunsOf = perConnection(() => new ActionRuns())
