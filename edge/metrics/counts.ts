/**
 * Metric counts of this isolate that have not been flushed yet. Isolates are numerous and short-lived, and a scrape
 * cannot address a particular one. Each isolate therefore flushes to a single object (`edge-metrics.ts`), after a
 * response and at most once every few seconds.
 */
import type { Env } from '../env.ts'
import { seriesOf } from './series.ts'

/** With ten isolates, the metrics object is called twice a second. */
export const FLUSH_INTERVAL_MS = 5_000

export const METRICS_OBJECT = 'metrics'

/** From the duration of a webhook's group commit to the response time of a slow origin. */
const BUCKET_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

type Context = Pick<ExecutionContext, 'waitUntil'>

let counts = new Map<string, number>()
let flushedAt = Number.NEGATIVE_INFINITY
/** Time at which a timer flushes the counts. If the request that set the timer was cut off, the timer never fires. */
let timerDueAt = Number.NEGATIVE_INFINITY

export function count(series: string, by = 1): void {
  counts.set(series, (counts.get(series) ?? 0) + by)
}

export function observe(name: string, labels: Record<string, string>, seconds: number): void {
  for (const le of BUCKET_SECONDS)
    if (seconds <= le) count(seriesOf(`${name}_bucket`, { ...labels, le }))
  count(seriesOf(`${name}_bucket`, { ...labels, le: '+Inf' }))
  count(seriesOf(`${name}_sum`, labels), seconds)
  count(seriesOf(`${name}_count`, labels))
}

export function flushCounts(env: Env, context: Context): void {
  const now = Date.now()
  // Uses the absolute difference, because otherwise flushing would stop if the clock was set back.
  if (Math.abs(now - flushedAt) < FLUSH_INTERVAL_MS || counts.size === 0) return
  flushedAt = now
  const batch = [...counts]
  counts = new Map()
  context.waitUntil(send(env, batch))
}

/**
 * Flushes the counts. If they cannot be flushed yet, sets a timer, because no other request may follow. Only the Worker
 * may call this function, because the Worker's idle time is free of charge.
 */
export function scheduleFlush(env: Env, context: Context): void {
  flushCounts(env, context)
  const now = Date.now()
  if (counts.size === 0 || (now < timerDueAt && timerDueAt - now <= FLUSH_INTERVAL_MS)) return
  timerDueAt = now + FLUSH_INTERVAL_MS
  const delay = new Promise<void>((resume) => setTimeout(resume, FLUSH_INTERVAL_MS))
  context.waitUntil(
    delay.then(() => {
      timerDueAt = Number.NEGATIVE_INFINITY
      flushCounts(env, context)
    }),
  )
}

/** Never rejects. If the response is lost, the batch is not sent again, because it may have been counted already. */
async function send(env: Env, batch: [string, number][]): Promise<void> {
  try {
    await env.EDGE_METRICS.getByName(METRICS_OBJECT).add(batch)
  } catch {
    // Losing counts is better than delaying requests.
  }
}
