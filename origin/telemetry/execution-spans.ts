import type { TraceContext } from '../../shared/telemetry/trace-context.ts'
import { type Span, traced } from '../../shared/telemetry/tracer.ts'
import type { ActionResult, Capability } from '../actions/run.ts'

/** Spans of one execution: the wait for an executor, the action, and its key operations and requests. */
export class ExecutionSpans {
  readonly #parent: Span
  readonly #wait: Span | undefined
  #action: Span | undefined

  constructor(parent: Span) {
    this.#parent = parent
    this.#wait = parent.child('executor.wait')
  }

  /** Trace context for requests of the action. */
  get context(): TraceContext {
    return (this.#action ?? this.#parent).context
  }

  started(): void {
    this.#wait?.end()
    this.#action = this.#parent.child('action.execute')
  }

  /** Measures the key operations of the action. Span names contain the operation, but nothing of its input. */
  measure(capability: Capability): Capability {
    return {
      keyOperation: (operation) =>
        traced(this.#action, `key.${operation.name}`, () => capability.keyOperation(operation)),
    }
  }

  ended(result: ActionResult): void {
    this.#wait?.end()
    const action = this.#action
    if (!action) return
    for (const { at_ms, ms, status } of result.kind === 'lost' ? [] : (result.requests ?? [])) {
      const request = action.child('action.fetch', {
        kind: 'client',
        startedAt: action.startedAt + at_ms,
      })
      if (status === undefined) request?.fail('fetch_failed')
      else request?.set({ 'http.response.status_code': status })
      request?.end(action.startedAt + at_ms + ms)
    }
    action.set({ 'svc.outcome': result.kind })
    if (result.kind === 'failed') action.fail(result.code)
    if (result.kind === 'lost') action.fail('origin_lost')
    action.end()
  }
}
