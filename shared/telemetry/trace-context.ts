/**
 * W3C Trace Context (https://www.w3.org/TR/trace-context/). Only `traceparent` is used: `tracestate` carries data of
 * vendors, and the service has none.
 */

/** IDs are lower-case hex and never all zeros. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

export const TRACEPARENT_HEADER = 'traceparent'

export const TRACE_ID_PATTERN = /^(?!0{32})[0-9a-f]{32}$/

const TRACEPARENT =
  /^([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const SAMPLED = 1

/**
 * Returns undefined if the header is absent or invalid. Accepts versions above 00 with more fields (section 3.2.4).
 *
 * @example
 *   parseTraceparent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
 */
export function parseTraceparent(header: string | null | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
