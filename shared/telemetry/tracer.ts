import { encodeHex } from '../encoding/hex.ts'
import { isTraceIdSampled } from './sampling.ts'
import type { EndedSpan, SpanAttributes, SpanKind } from './span.ts'
import type { TraceContext } from './trace-context.ts'

/**
 * Maximum spans of one request or run in one process. Above what the limits of a run allow (50 requests and ten key
 * operations), so it only bounds the memory for faults of ours. Further spans are counted as dropped.
 */
export const SPANS_PER_TRACE_MAX = 128

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

export type TracerOptions = {
  /** Share of sampled traces, 0 to 1. */
  ratio: number
  /** Unix milliseconds. */
  now: () => number
  randomBytes: (bytes: number) => Uint8Array
  /** In [0, 1). */
  random: () => number
  export: (span: EndedSpan) => void
  onDropped: (spans: number) => void
}

type StartOptions = {
  kind?: SpanKind
  attributes?: SpanAttributes
  /** Defaults to the current time. */
  startedAt?: number
}

/** A span in progress. It is exported when it ends. */
export class Span {
  readonly context: TraceContext
  readonly #tracer: TracerOptions
  readonly #span: Omit<EndedSpan, 'endedAt'>
  /** Shared by all spans of this process that belong to the same request or run. */
  readonly #budget: { left: number }
  #hasEnded = false

  constructor(tracer: TracerOptions, span: Omit<EndedSpan, 'endedAt'>, budget: { left: number }) {
    this.#tracer = tracer
    this.#span = span
    this.#budget = budget
    this.context = span.context
  }

  get startedAt(): number {
    return this.#span.startedAt
  }

  /** Starts a child. Returns undefined if the trace has too many spans. */
  child(name: string, options: StartOptions = {}): Span | undefined {
    if (this.#budget.left <= 0) {
      this.#tracer.onDropped(1)
      return undefined
    }
    this.#budget.left--
    const { kind = 'internal', attributes = {}, startedAt = this.#tracer.now() } = options
    const context = { ...this.context, spanId: newId(this.#tracer, SPAN_ID_BYTES) }
    const parentSpanId = this.context.spanId
    const span = { context, parentSpanId, name, kind, startedAt, attributes: { ...attributes } }
    return new Span(this.#tracer, span, this.#budget)
  }

  rename(name: string): void {
    this.#span.name = name
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.#span.attributes, attributes)
  }

  /** @param type name or code of the error */
  fail(type: string): void {
    this.#span.isError = true
    this.set({ 'error.type': type })
  }

  /** Only the first call has an effect. */
  end(endedAt: number = this.#tracer.now()): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#tracer.export({ ...this.#span, endedAt: Math.max(endedAt, this.#span.startedAt) })
  }
}

export class Tracer {
  readonly #options: TracerOptions

  constructor(options: TracerOptions) {
    this.#options = options
  }

  get now(): () => number {
    return this.#options.now
  }

  /** Decides if the trace of a run is sampled. Every process decides alike, because the trace ID depends on the run. */
  samplesRun(traceId: string): boolean {
    return isTraceIdSampled(traceId, this.#options.ratio)
  }

  /**
   * Returns the context of a request of a client, which continues the client's trace if there is one. The decision to
   * sample is ours, because a client could otherwise send all of its requests to the collector.
   *
   * @param parent context from the client's `traceparent`
   */
  requestContext(parent: TraceContext | undefined): TraceContext {
    return {
      traceId: parent?.traceId ?? newId(this.#options, TRACE_ID_BYTES),
      spanId: newId(this.#options, SPAN_ID_BYTES),
      isSampled: this.#options.random() < this.#options.ratio,
    }
  }

  /** Returns a context for a new span below `parent`, which has decided about sampling. */
  childContext(parent: TraceContext): TraceContext {
    return { ...parent, spanId: newId(this.#options, SPAN_ID_BYTES) }
  }

  /** Starts a span, unless its trace is not sampled. */
  start(
    name: string,
    context: TraceContext,
    {
      kind = 'internal',
      attributes = {},
      startedAt = this.#options.now(),
      parentSpanId,
    }: StartOptions & { parentSpanId?: string | undefined } = {},
  ): Span | undefined {
    if (!context.isSampled) return undefined
    const span = { context, parentSpanId, name, kind, startedAt, attributes: { ...attributes } }
    return new Span(this.#options, span, { left: SPANS_PER_TRACE_MAX - 1 })
  }

  /** Exports a span that has already ended, unless its trace is not sampled. */
  record(span: EndedSpan): void {
    if (span.context.isSampled) this.#options.export(span)
  }
}

/**
 * Measures `work` as a child of `parent`. Without a parent, only calls `work`.
 *
 * @example
 *   await traced(span, 'credits.reserve', () => credits.reserve(payer, cents))
 */
export async function traced<Result>(
  parent: Span | undefined,
  name: string,
  work: (span: Span | undefined) => Promise<Result>,
  options?: StartOptions,
): Promise<Result> {
  const span = parent?.child(name, options)
  if (!span) return work(undefined)
  try {
    return await work(span)
  } catch (error) {
    span.fail(errorType(error))
    throw error
  } finally {
    span.end()
  }
}

export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** Never all zeros: the last bit is set if every other bit is zero. */
function newId({ randomBytes }: Pick<TracerOptions, 'randomBytes'>, bytes: number): string {
  const id = randomBytes(bytes)
  if (id.every((byte) => byte === 0)) id[bytes - 1] = 1
  return encodeHex(id)
}
