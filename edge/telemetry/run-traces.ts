import { formatTraceparent } from '../../shared/telemetry/trace-context.ts'
import { runTrace } from '../../shared/telemetry/run-trace.ts'
import { errorType, type Tracer } from '../../shared/telemetry/tracer.ts'
import type { RunStatus, TriggerKind } from '../../shared/wire/trigger.ts'

/** An attempt to execute a run. */
export type AttemptTrace = {
  /** Sent to the origin, also if the trace is not sampled, so that the origin decides alike. */
  traceparent: string
  end(outcome: string): void
  fail(error: unknown): void
}

/** A run that has ended. Times are Unix milliseconds. */
type EndedRunTimes = {
  runId: string
  kind: TriggerKind
  status: RunStatus
  attempt: number
  queuedAt: number
  /** Null if the run never started. */
  startedAt: number | null
  finishedAt: number
}

/** Records the spans of a trigger's runs. */
export class RunTraces {
  /** Returns undefined if no collector is configured. */
  readonly #tracer: () => Tracer | undefined

  constructor(tracer: () => Tracer | undefined) {
    this.#tracer = tracer
  }

  startAttempt(runId: string, attempt: number): AttemptTrace | undefined {
    const tracer = this.#tracer()
    if (!tracer) return undefined
    const { traceId, runSpanId } = runTrace(runId)
    const isSampled = tracer.samplesRun(traceId)
    const context = tracer.childContext({ traceId, spanId: runSpanId, isSampled })
    const span = tracer.start('run.attempt', context, {
      kind: 'client',
      parentSpanId: runSpanId,
      attributes: { 'svc.attempt': attempt },
    })
    return {
      traceparent: formatTraceparent(context),
      end: (outcome) => {
        span?.set({ 'svc.outcome': outcome })
        span?.end()
      },
      fail: (error) => {
        span?.fail(errorType(error))
        span?.end()
      },
    }
  }

  /** Returns true if the spans of the run are recorded. */
  isRecorded(runId: string): boolean {
    return this.#tracer()?.samplesRun(runTrace(runId).traceId) ?? false
  }

  /** Records the whole run, and its wait in the queue before its first start. */
  recordRun(run: EndedRunTimes): void {
    const tracer = this.#tracer()
    if (!tracer) return
    const { traceId, runSpanId: spanId } = runTrace(run.runId)
    const context = { traceId, spanId, isSampled: tracer.samplesRun(traceId) }
    const startedAt = run.queuedAt
    const waitedUntil = Math.max(startedAt, run.startedAt ?? run.finishedAt)
    tracer.record({
      context: tracer.childContext(context),
      parentSpanId: spanId,
      name: 'queue.wait',
      kind: 'internal',
      startedAt,
      endedAt: waitedUntil,
      attributes: {},
    })
    tracer.record({
      context,
      name: 'run',
      kind: 'consumer',
      startedAt,
      endedAt: Math.max(startedAt, run.finishedAt),
      attributes: {
        'svc.trigger.kind': run.kind,
        'svc.run.status': run.status,
        'svc.attempt': run.attempt,
      },
      isError: run.status === 'failed',
    })
  }
}
