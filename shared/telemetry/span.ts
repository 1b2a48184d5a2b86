import type { TraceContext } from './trace-context.ts'

/**
 * Names of all attributes. A fixed list, because attributes must never contain IDs of triggers or runs, addresses,
 * URLs, params, bodies or keys. Names with dots follow the semantic conventions of OpenTelemetry, and names that start
 * with `svc.` are ours.
 */
export type SpanAttributes = {
  'http.request.method'?: string
  /** Pattern of the route, never the path. */
  'http.route'?: string
  'http.response.status_code'?: number
  /** Name or code of an error, never its message. */
  'error.type'?: string
  'svc.request_id'?: string | undefined
  'svc.action_cid'?: string
  'svc.attempt'?: number
  'svc.trigger.kind'?: string
  'svc.run.status'?: string
  'svc.outcome'?: string
}

/** `SpanKind` of OTLP. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
export type SpanKind = keyof typeof SPAN_KINDS

/** A span that has ended. */
export type EndedSpan = {
  context: TraceContext
  parentSpanId?: string | undefined
  name: string
  kind: SpanKind
  /** Unix milliseconds. */
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  links?: readonly TraceContext[]
  isError?: boolean
}
