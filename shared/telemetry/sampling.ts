/** Characters of a trace ID that decide: the last 7 bytes, which W3C Trace Context (level 2) defines as random. */
const RANDOM_HEX_CHARACTERS = 14
const RANDOM_VALUES = 16 ** RANDOM_HEX_CHARACTERS

/**
 * Decides by the trace ID alone whether a trace is sampled, so that every process that starts a part of the same trace
 * decides alike. Must not be used for a trace ID that a client chose: the client could choose IDs that are sampled.
 *
 * @param ratio share of sampled traces, 0 to 1
 */
export function isTraceIdSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_HEX_CHARACTERS), 16) < ratio * RANDOM_VALUES
}
