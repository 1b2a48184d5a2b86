/**
 * Measures from a webhook's 202 to the start of its run, alone and while actions of another trigger take a minute.
 */
import { request } from 'node:https'
import { scriptSource } from '../doubles/script.ts'
import { until } from '../system/owner.ts'
import { type BenchEdge, type BenchOwner, benchOwner, startEdge } from './edge.ts'
import { median, percentile, report } from './report.ts'

const TRIGGERS = 10
const SAMPLES = 400
/** Interval between requests, long enough that none has to queue. */
const APART_MS = 25
const NEIGHBOUR_RUNS = 200

const outcome = (response: string) => ({
  status: 'success' as const,
  action_cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG',
  duration_ms: 1,
  logs: [],
  charged_cents: 1,
  response,
})
const AT_ONCE = scriptSource([{ outcome: outcome('done') }])
const A_MINUTE = scriptSource([{ outcome: outcome('slow'), after_ms: 60_000 }])

export async function queue(): Promise<void> {
  const edge = await startEdge()
  try {
    const owner = await benchOwner(edge.url)
    const urls: string[] = []
    for (let n = 0; n < TRIGGERS; n++)
      urls.push((await owner.create({ action_code: AT_ONCE })).webhook_url)
    await startLatencies(edge, urls)
    const idle = await startLatencies(edge, urls)
    const hop = await hops(edge)
    report({
      bench: 'queue',
      metric: 'queued_to_started_p50_ms',
      value: median(idle),
      unit: 'ms',
      baseline: median(hop),
      ratio: median(idle) / median(hop),
    })
    const value = percentile(idle, 0.99)
    const baseline = percentile(hop, 0.99)
    const ratio = value / baseline
    report({
      bench: 'queue',
      metric: 'queued_to_started_p99_ms',
      value,
      unit: 'ms',
      baseline,
      ratio,
    })

    await occupy(edge, owner)
    const beside = percentile(await startLatencies(edge, urls), 0.99)
    report({
      bench: 'queue',
      metric: 'neighbour_start_p99_ms',
      value: beside,
      unit: 'ms',
      baseline: value,
      ratio: beside / value,
    })
  } finally {
    await edge.close()
  }
}

/** Milliseconds from each 202 at the sender to the execution request at the origin. */
async function startLatencies({ origin }: BenchEdge, urls: readonly string[]): Promise<number[]> {
  const answered = new Map<string, number>()
  const from = origin.seen.length
  for (let n = 0; n < SAMPLES; n++) {
    const response = await fetch(urls[n % urls.length]!, { method: 'POST', body: '{}' })
    const { run_id } = (await response.json()) as { run_id: string }
    answered.set(run_id, Date.now())
    await new Promise((resume) => setTimeout(resume, APART_MS))
  }
  await until(30, 'all are started', async () =>
    origin.seen.slice(from).filter(({ runId }) => answered.has(runId)).length >= SAMPLES
      ? true
      : undefined,
  )
  return origin.seen.flatMap(({ runId, at }) => {
    const since = answered.get(runId)
    // The execution request may arrive before the sender has the response.
    return since === undefined ? [] : [Math.max(0, at - since)]
  })
}

/** Fills all places of another trigger with runs of a minute, and queues more behind them. */
async function occupy({ origin }: BenchEdge, owner: BenchOwner): Promise<void> {
  const slow = await owner.create({ action_code: A_MINUTE })
  for (let n = 0; n < NEIGHBOUR_RUNS; n++)
    await (await fetch(slow.webhook_url, { method: 'POST', body: '{}' })).arrayBuffer()
  await until(30, 'the neighbour is busy', async () =>
    origin.seen.filter(({ runId }) => runId.startsWith(slow.id)).length >= 8 ? true : undefined,
  )
}

/** Round trips of bare HTTPS requests to the same origin. */
async function hops({ origin }: BenchEdge): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const began = performance.now()
    await new Promise<void>((resolve, reject) => {
      const sent = request(new URL('/control/nothing', origin.url), {
        rejectUnauthorized: false,
        method: 'POST',
      })
      sent.once('error', reject)
      sent.once('response', (response) => response.resume().once('end', () => resolve()))
      sent.end()
    })
    times.push(performance.now() - began)
  }
  return times
}
