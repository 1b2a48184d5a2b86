/**
 * What this isolate has counted and not handed over yet. Isolates come and go by the hundred, and no question reaches a
 * certain one: so each hands its counts to one object (`edge-metrics.ts`), after an answer and at most every few seconds.
 */
import type { Env } from '../env.ts'
import { seriesOf } from './series.ts'

/** Between two of this isolate's calls to the object: 10 isolates make two calls a second of it. */
export const HAND_OVER_MS = 5_000

/** One `EdgeMetrics` for the whole edge. */
export const METRICS_OBJECT = 'metrics'

/** From the group commit of an intake to an origin that is slow. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What keeps the isolate's work alive after its answer. */
type Context = Pick<ExecutionContext, 'waitUntil'>

let counts = new Map<string, number>()
let handedOverAt = Number.NEGATIVE_INFINITY
/** By then a timer hands over what is counted; a timer of a request that was cut off never does. */
let dueAt = Number.NEGATIVE_INFINITY

export function count(series: string, by = 1): void {
  counts.set(series, (counts.get(series) ?? 0) + by)
}

/** @param seconds one observation */
export function observe(name: string, labels: Record<string, string>, seconds: number): void {
  for (const le of SECONDS) if (seconds <= le) count(seriesOf(`${name}_bucket`, { ...labels, le }))
  count(seriesOf(`${name}_bucket`, { ...labels, le: '+Inf' }))
  count(seriesOf(`${name}_sum`, labels), seconds)
  count(seriesOf(`${name}_count`, labels))
}

/** Hands the counts over now, where the last time is long enough ago; else a later call does. */
export function handOver(env: Env, context: Context): void {
  const now = Date.now()
  // A clock that was set back would silence the isolate.
  if (Math.abs(now - handedOverAt) < HAND_OVER_MS || counts.size === 0) return
  handedOverAt = now
  const batch = [...counts]
  counts = new Map()
  context.waitUntil(send(env, batch))
}

/** The same, and a timer for what may not be handed over yet: nobody may come again. For a Worker, whose rest is free. */
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

/** Never rejects. A batch whose answer was lost may have been counted: it is not sent again. */
async function send(env: Env, batch: [string, number][]): Promise<void> {
  try {
    await env.EDGE_METRICS.getByName(METRICS_OBJECT).add(batch)
  } catch {
    // Counts are worth less than what they would delay.
  }
}
