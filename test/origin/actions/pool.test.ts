import { afterEach, describe, expect, it } from 'vitest'
import type { ActionPoolOptions, PoolEvent } from '../../../origin/actions/pool.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { NO_KEYS, request, returned } from './sandbox.ts'

const TRIVIAL = request('async function main(params) { return params }')
const SLEEP = (ms: number) =>
  request(`const main = () => new Promise((done) => setTimeout(done, ${ms}, ${ms}))`)

let open: ActionPool | undefined
afterEach(() => open?.close())

async function start(options: ActionPoolOptions) {
  const events: PoolEvent[] = []
  const pool = createActionPool({ ...options, onEvent: (event) => events.push(event) })
  open = pool
  await pool.ready()
  const pids = () => events.flatMap((event) => (event.type === 'executor_ready' ? [event.pid] : []))
  const ends = () => events.filter((event) => event.type === 'executor_ended')
  return { pool, pids, ends }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition did not come true')
    await new Promise((done) => setTimeout(done, 20))
  }
}

describe('the pool', () => {
  it('runs waiting actions concurrently, and grows for them', async () => {
    const { pool, pids } = await start({ min: 1, max: 3 })
    const order: number[] = []
    const runs = [1500, 1400, 1300].map(async (ms) => {
      returned(await pool.run(SLEEP(ms), NO_KEYS))
      order.push(ms)
    })
    await Promise.all(runs)
    expect(order).toHaveLength(3)
    expect(pids().length).toBeGreaterThan(1)
    expect(pids().length).toBeLessThanOrEqual(3)
  })

  it('memory flood: bounds the queue and rejects further runs before they start', async () => {
    const { pool } = await start({ min: 1, max: 1 })
    void pool.run(SLEEP(5_000), NO_KEYS)
    const large = { ...TRIVIAL, code: TRIVIAL.code + ' '.repeat(16 * 1024 * 1024) }
    const flood = Array.from({ length: 20 }, () => pool.run(large, NO_KEYS))
    const first = await Promise.race(flood)
    const reason = 'too many runs are queued'
    expect(first).toMatchObject({ kind: 'lost', reason, started: false, full: true })
    await pool.close()
    const started = (await Promise.all(flood)).filter((end) => end.kind !== 'lost' || end.started)
    expect(started).toEqual([])
  })

  it('serves an account in order of arrival', async () => {
    const { pool } = await start({ min: 1, max: 1 })
    const order: string[] = []
    const run = async (name: string) => {
      const params = JSON.stringify({ name })
      order.push(returned(await pool.run({ ...TRIVIAL, params }, NO_KEYS)).value)
    }
    await Promise.all(['a', 'b', 'c', 'd'].map(run))
    expect(order).toEqual(['a', 'b', 'c', 'd'].map((name) => JSON.stringify({ name })))
  })

  it('stops idle executors above the minimum', async () => {
    const { pool, pids, ends } = await start({ min: 1, max: 2, idleMs: 200 })
    await Promise.all([pool.run(SLEEP(1200), NO_KEYS), pool.run(SLEEP(100), NO_KEYS)])
    await until(() => ends().length === 1)
    expect(pids()).toHaveLength(2)
    expect(returned(await pool.run(TRIVIAL, NO_KEYS)).value).toBe('{}')
    expect(ends()).toHaveLength(1)
  })

  it('keeps one spare executor, and does not stop the only spare', async () => {
    const { pool, pids, ends } = await start({ min: 1, max: 4, idleMs: 100 })
    const run = pool.run(SLEEP(1_500), NO_KEYS)
    await until(() => pids().length === 2)
    await run
    expect(ends()).toEqual([])
    await until(() => ends().length === 1)
  })

  it('replaces an executor after its number of runs, without losing a run', async () => {
    const { pool, pids, ends } = await start({ min: 1, max: 1, runsPerExecutor: 2 })
    for (let run = 0; run < 5; run++) returned(await pool.run(TRIVIAL, NO_KEYS))
    await until(() => ends().length >= 1)
    expect(returned(await pool.run(TRIVIAL, NO_KEYS)).value).toBe('{}')
    expect(pids().length).toBeGreaterThanOrEqual(2)
  })
})

describe('an executor that is killed', () => {
  it('during a run loses only that run, and reports that it had started', async () => {
    const { pool, pids } = await start({ min: 2, max: 2 })
    const sleeping = (account: string) => pool.run({ ...SLEEP(1500), account }, NO_KEYS)
    const runs = [sleeping('a'), sleeping('b')]
    await new Promise((done) => setTimeout(done, 300))
    process.kill(pids()[0]!, 'SIGKILL')
    const results = await Promise.all(runs)
    const lost = { kind: 'lost', reason: 'the executor exited: signal SIGKILL', started: true }
    expect(results).toContainEqual(lost)
    expect(results.filter(({ kind }) => kind === 'returned')).toHaveLength(1)
    expect(returned(await pool.run(TRIVIAL, NO_KEYS)).value).toBe('{}')
  })

  it('by an interrupt from the terminal keeps running: only its parent stops it', async () => {
    const { pool, pids } = await start({ min: 1, max: 1 })
    const run = pool.run(SLEEP(300), NO_KEYS)
    process.kill(pids()[0]!, 'SIGINT')
    process.kill(pids()[0]!, 'SIGTERM')
    expect(returned(await run).value).toBe('300')
  })

  it('between runs is replaced without losing a run', async () => {
    const { pool, pids, ends } = await start({ min: 1, max: 1 })
    process.kill(pids()[0]!, 'SIGKILL')
    await until(() => ends().length === 1)
    expect(returned(await pool.run(TRIVIAL, NO_KEYS)).value).toBe('{}')
  })
})

it('closing the pool stops running actions and does not start waiting ones', async () => {
  const { pool, ends } = await start({ min: 1, max: 1 })
  const running = pool.run(SLEEP(5000), NO_KEYS)
  const waiting = pool.run(TRIVIAL, NO_KEYS)
  await pool.close()
  const reason = 'the executor exited: the pool is closed'
  expect(await running).toEqual({ kind: 'lost', reason, started: true })
  expect(await waiting).toEqual({ kind: 'lost', reason: 'the pool is closed', started: false })
  expect(await pool.run(TRIVIAL, NO_KEYS)).toMatchObject({ kind: 'lost', started: false })
  expect(ends()).toHaveLength(1)
})

it('draining the pool lets running actions end, and neither starts waiting nor accepts new ones', async () => {
  const { pool } = await start({ min: 1, max: 1 })
  const running = pool.run(SLEEP(500), NO_KEYS)
  const waiting = pool.run(TRIVIAL, NO_KEYS)
  pool.drain()
  const draining = { kind: 'lost', reason: 'the pool drains', started: false, draining: true }
  expect(await waiting).toEqual(draining)
  expect(await pool.run(TRIVIAL, NO_KEYS)).toEqual(draining)
  expect(returned(await running).value).toBe('500')
  expect(pool.load()).toMatchObject({ waiting: 0, isBroken: false })
})
