/** Runs that were started in this tab continue while another view is open. */
import type { ApiClient } from '../../../../shared/client/api/client.ts'
import type { SovereignClient } from '../../../../shared/client/sovereign/client.ts'
import type { ActionAnswer } from '../../../../shared/client/core/execution.ts'
import { notifyBalanceChanged } from '../balance-events.ts'
import type { Connection } from '../connection.ts'

export type ActionRunner = Pick<ApiClient | SovereignClient, 'svcAction'>

export type ActionRun = {
  number: number
  source: string
  /** Unix milliseconds. */
  startedAt: number
  /** `left`: this page stopped waiting for the result, but the run continues. */
  state: 'under way' | 'left' | 'ended'
  answer?: ActionAnswer
  failure?: unknown
}

const KEPT_RUNS = 10

export class ActionRuns {
  #runs: ActionRun[] = []
  #lastNumber = 0
  readonly #pending = new Map<number, { again: () => void; stop: AbortController }>()
  readonly #listeners = new Set<() => void>()

  /** Newest first. */
  get all(): readonly ActionRun[] {
    return this.#runs
  }

  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  start(runner: ActionRunner, code: string, js_params: Record<string, unknown>): void {
    const number = ++this.#lastNumber
    // The action is executed only once, however often its result is requested.
    const idempotencyKey = crypto.randomUUID()
    const wait = () => {
      const stop = new AbortController()
      this.#pending.set(number, { again: wait, stop })
      const options = { idempotencyKey, signal: stop.signal }
      runner.svcAction({ code, js_params }, options).then(
        (answer) => {
          this.#change(number, { state: 'ended', answer })
          notifyBalanceChanged()
        },
        (failure: unknown) => {
          if (!stop.signal.aborted) this.#change(number, { state: 'ended', failure })
        },
      )
    }
    const run: ActionRun = { number, source: code, startedAt: Date.now(), state: 'under way' }
    this.#runs = [run, ...this.#runs].slice(0, KEPT_RUNS)
    wait()
    this.#notify()
  }

  /** The run continues, and its result can be requested again. */
  stopWaiting(number: number): void {
    this.#pending.get(number)?.stop.abort()
    this.#change(number, { state: 'left' })
  }

  waitAgain(number: number): void {
    this.#change(number, { state: 'under way' })
    this.#pending.get(number)?.again()
  }

  #change(number: number, change: Partial<ActionRun>): void {
    this.#runs = this.#runs.map((run) => (run.number === number ? { ...run, ...change } : run))
    if (change.state === 'ended') this.#pending.delete(number)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

const runsByConnection = new WeakMap<Connection, ActionRuns>()

/** Runs of one account are never shown for another account. */
export function actionRunsOf(connection: Connection): ActionRuns {
  const known = runsByConnection.get(connection) ?? new ActionRuns()
  runsByConnection.set(connection, known)
  return known
}
