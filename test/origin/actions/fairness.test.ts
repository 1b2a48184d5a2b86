/**
 * Measures the latency of one account's small runs during another account's flood. The bound is far above the factor of
 * two on a quiet machine (see docs/decisions/0017-scheduling.md), so that a busy machine does not fail the test. A
 * single shared queue would be slower by a factor of hundreds.
 */
import { getPriority } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { ActionPool, ActionResult } from '../../../origin/actions/run.ts'
import { NO_KEYS, request, returned } from './sandbox.ts'

const SLOWER_MAX = 25
const SAMPLES = 60
/** Lower bound for the baseline: on an idle machine, a run takes less than a millisecond. */
const ALONE_MIN_MS = 2

const TRIVIAL = request('async function main(params) { return params }', { account: 'neighbour' })
const spin = (ms: number) =>
  `async function main() { const end = Date.now() + ${ms}; while (Date.now() < end); }`

let pool: ActionPool
beforeAll(async () => {
  pool = createActionPool({ min: 2, max: 16 })
  await pool.ready()
})
afterAll(() => pool.close())

const rest = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Returns the 90th percentile of the neighbor's run times, in milliseconds. */
async function p90(): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const began = performance.now()
    returned(await pool.run(TRIVIAL, NO_KEYS))
    took.push(performance.now() - began)
    await rest(5)
  }
  return took.toSorted((a, b) => a - b)[Math.floor(SAMPLES * 0.9)] ?? 0
}

/** Keeps `depth` runs of one account running or queued until stopped. */
function flood(code: string, depth: number) {
  const stop = new AbortController()
  const control = { signal: stop.signal, started: () => {} }
  const ended: ActionResult['kind'][] = []
  const loops = Array.from({ length: depth }, async () => {
    while (!stop.signal.aborted) {
      const result = await pool.run(request(code, { account: 'flood' }), NO_KEYS, control)
      if (!stop.signal.aborted) ended.push(result.kind)
    }
  })
  return {
    ended,
    stop: async () => {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

it.each([
  ['small runs', 'async function main() { return 1 }'],
  ['runs of 20 ms', spin(20)],
  ['runs that compute for seconds', spin(3_000)],
  ['runs that sleep', 'const main = () => new Promise((done) => setTimeout(done, 2_000))'],
  ['memory bombs', 'function main() { const all = []; for (;;) all.push(new Uint8Array(1e6)) }'],
  [
    'runs that compute whenever they have slept',
    `async function main() { for (;;) { await new Promise((done) => setTimeout(done, 1)); ${spin(40)}; await main() } }`,
  ],
])('flood of %s: barely slows down another account', async (_what, code) => {
  const alone = Math.max(ALONE_MIN_MS, await p90())
  const { stop, ended } = flood(code, 100)
  await rest(500)
  const beside = await p90()
  await stop()
  expect(beside).toBeLessThan(alone * SLOWER_MAX)
  expect(ended).not.toContain('lost')
})

it('a flood that computes in bursts of a few milliseconds is not treated as waiting', async () => {
  const pids: number[] = []
  const own = createActionPool({
    min: 1,
    max: 2,
    onEvent: (event) => {
      if (event.type === 'executor_ready' && event.pid !== undefined) pids.push(event.pid)
    },
  })
  await own.ready()
  const bursts = `async function main() {
    for (;;) {
      const end = performance.now() + 3
      while (performance.now() < end);
      await new Promise((done) => setTimeout(done, 0))
    }
  }`
  const run = own.run(request(bursts, { wallMs: 2_000 }), NO_KEYS)
  const isLowered = () => pids.some((pid) => getPriority(pid) > getPriority())
  while (!isLowered()) {
    const ended = await Promise.race([run, rest(20)])
    if (ended !== undefined) break
  }
  expect(isLowered()).toBe(true)
  await own.close()
})
