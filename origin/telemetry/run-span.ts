import { runTrace } from '../../shared/telemetry/run-trace.ts'
import { parseTraceparent } from '../../shared/telemetry/trace-context.ts'
import { errorType, type Span, type Tracer } from '../../shared/telemetry/tracer.ts'
import type { JoinedRun } from '../runs/executions.ts'

/**
 * Starts the span of an attempt to execute a trigger's run. The edge decides if the trace is sampled. If the edge exports
 * no traces, the decision is ours.
 */
export function startRunSpan(
  { id, attempt, trace }: { id: string; attempt: number; trace?: string | undefined },
  tracer: Tracer | undefined,
): Span | undefined {
  if (!tracer) return undefined
  const sender = parseTraceparent(trace)
  const { traceId, runSpanId } = runTrace(id)
  const parent = sender ?? { traceId, spanId: runSpanId, isSampled: tracer.samplesRun(traceId) }
  return tracer.start('run.execute', tracer.childContext(parent), {
    kind: 'server',
    parentSpanId: sender?.spanId,
    attributes: { 'svc.attempt': attempt },
  })
}

/**
 * Ends the span when the run ends, which may be after the response.
 *
 * @param respond computes the response
 */
export async function endWithOutcome<Response>(
  span: Span | undefined,
  begun: Promise<JoinedRun | undefined>,
  respond: (joined: JoinedRun | undefined) => Promise<Response>,
): Promise<Response> {
  if (!span) return respond(await begun)
  try {
    const joined = await begun
    if (joined) joined.outcome.then((outcome) => endSpan(span, outcome), failSpan(span))
    else span.end()
    return await respond(joined)
  } catch (error) {
    failSpan(span)(error)
    throw error
  }
}

function endSpan(span: Span, { status, ...outcome }: Awaited<JoinedRun['outcome']>): void {
  span.set({ 'svc.action_cid': outcome.action_cid, 'svc.run.status': status })
  if ('code' in outcome) span.fail(outcome.code)
  span.end()
}

const failSpan = (span: Span) => (error: unknown) => {
  span.fail(errorType(error))
  span.end()
}
