import { randomBytes } from 'node:crypto'
import { runTrace } from '../../shared/telemetry/run-trace.ts'
import { formatTraceparent, type TraceContext } from '../../shared/telemetry/trace-context.ts'

type TracedRun = {
  runId?: string | undefined
  /** Returns the span of the action. Undefined if the trace is not sampled. */
  spanContext?: (() => TraceContext) | undefined
}

/**
 * Returns a function that computes the `traceparent` header of a run's requests (docs/decisions/0154). Without a span, the
 * context is not sampled, and has the trace ID of the run's record, or a random one if the run has no ID.
 */
export function traceparentOf({ runId, spanContext }: TracedRun): () => string {
  let unsampled: TraceContext | undefined
  return () => formatTraceparent(spanContext?.() ?? (unsampled ??= unsampledContext(runId)))
}

function unsampledContext(runId: string | undefined): TraceContext {
  if (runId === undefined)
    return {
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      isSampled: false,
    }
  const { traceId, runSpanId } = runTrace(runId)
  return { traceId, spanId: runSpanId, isSampled: false }
}
