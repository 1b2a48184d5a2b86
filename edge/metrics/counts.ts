/**
 * Counts of this isolate that have not been flushed yet. Isolates are numerous and short-lived, and a scrape cannot
 * address a particular one. Each isolate therefore flushes its counts to one object (`edge-metrics.ts`), after a
 * response and at most every few seconds.
 */
import type { Env } from '../env.ts'
import { seriesOf } from './series.ts'

/** Minimum interval between two flushes of one isolate: ten isolates call the object twice a second. */
export const HAND_OVER_MS = 5_000

/** Name of the edge's single `EdgeMetrics` object. */
export const METRICS_OBJECT = 'metrics'

/** Histogram buckets, from the group commit of a webhook to a slow origin. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Allows work to continue after the response. */
type Context = Pick<ExecutionContext, 'waitUntil'>

let counts = new Map<string, number>()
let handedOverAt = Number.NEGATIVE_INFINITY
/** Time at which a timer flushes. If its request was cut off, the timer never fires. */
let dueAt = Number.NEGATIVE_INFINITY

export function count(series: string, by = 1): void {
  counts.set(series, (counts.get(series) ?? 0) + by)
}

/**
 * Adds one observation to a histogram.
 * @param seconds the observed duration
 */
export function observe(name: string, labels: Record<string, string>, seconds: number): void {
  for (const le of SECONDS) if (seconds <= le) count(seriesOf(`${name}_bucket`, { ...labels, le }))
  count(seriesOf(`${name}_bucket`, { ...labels, le: '+Inf' }))
  count(seriesOf(`${name}_sum`, labels), seconds)
  count(seriesOf(`${name}_count`, labels))
}

/** Flushes the counts if the last flush is long enough ago. Otherwise, a later call flushes them. */
export function handOver(env: Env, context: Context): void {
  const now = Date.now()
  // Absolute, because a clock that was set back would otherwise stop the flushes.
  if (Math.abs(now - handedOverAt) < HAND_OVER_MS || counts.size === 0) return
  handedOverAt = now
  const batch = [...counts]
  counts = new Map()
  context.waitUntil(send(env, batch))
}

/**
 * Flushes like `handOver`, and sets a timer for counts that cannot be flushed yet, because no other request may follow.
 * Only for the Worker, where idle time is free of charge.
 */
export function handOverSoon(env: Env, context: Context): void {
  handOver(env, context)
  const now = Date.now()
  if (counts.size === 0 || (now < dueAt && dueAt - now <= HAND_OVER_MS)) return
  dueAt = now + HAND_OVER_MS
  const later = new Promise<void>((resume) => setTimeout(resume, HAND_OVER_MS))
  context.waitUntil(
    later.then(() => {
      dueAt = Number.NEGATIVE_INFINITY
      handOver(env, context)
    }),
  )
}

/** Never rejects. A batch is not sent again if its response was lost, because it may have been counted. */
async function send(env: Env, batch: [string, number][]): Promise<void> {
  try {
    await env.EDGE_METRICS.getByName(METRICS_OBJECT).add(batch)
  } catch {
    // Losing counts is better than delaying requests.
  }
}
