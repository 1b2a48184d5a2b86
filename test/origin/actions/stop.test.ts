import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionPool, type PoolEvent } from '../../../origin/actions/pool.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { failed, NO_KEYS, request, returned } from './sandbox.ts'

let pool: ActionPool
const events: PoolEvent[] = []
beforeAll(async () => {
  pool = createActionPool({ min: 1, max: 1, onEvent: (event) => events.push(event) })
  await pool.ready()
})
afterAll(() => pool.close())

const WAITS = `async function main() {
  console.log('before')
  await new Promise((done) => setTimeout(done, 8000))
}`
const SPINS = 'function main() { for (;;) {} }'
const TRIVIAL = 'function main() { return 1 }'

function begin(code: string) {
  const stop = new AbortController()
  const begun = Promise.withResolvers<void>()
  const result = pool.run(request(code), NO_KEYS, {
    signal: stop.signal,
    started: begun.resolve,
  })
  return { stop, begun: begun.promise, result }
}
const ends = () => events.filter(({ type }) => type === 'executor_ended').length

describe('a run that is stopped', () => {
  it('while waiting ends at once with its logs, and its executor continues', async () => {
    const { stop, begun, result } = begin(WAITS)
    await begun
    await new Promise((resume) => setTimeout(resume, 300))
    const at = performance.now()
    stop.abort()
    const { code, logs } = failed(await result)
    expect(performance.now() - at).toBeLessThan(150)
    expect(code).toBe('stopped')
    expect(logs.map(({ text }) => text)).toEqual(['before'])
    expect(returned(await pool.run(request(TRIVIAL), NO_KEYS)).value).toBe('1')
    expect(ends()).toBe(0)
  })

  it('free compute: an endless loop is killed, and another executor takes over', async () => {
    const { stop, begun, result } = begin(SPINS)
    await begun
    const at = performance.now()
    stop.abort()
    expect(failed(await result).code).toBe('stopped')
    expect(performance.now() - at).toBeLessThan(1_000)
    expect(returned(await pool.run(request(TRIVIAL), NO_KEYS)).value).toBe('1')
    expect(ends()).toBe(1)
  })

  it('while it waits for an executor is reported as not started', async () => {
    const first = begin(WAITS)
    await first.begun
    const second = begin(TRIVIAL)
    second.stop.abort()
    expect(await second.result).toMatchObject({ kind: 'lost', started: false })
    first.stop.abort()
    await first.result
  })

  it('before it is handed over is reported as not started', async () => {
    const stop = new AbortController()
    stop.abort()
    const control = { signal: stop.signal, started: () => {} }
    const result = await pool.run(request(TRIVIAL), NO_KEYS, control)
    expect(result).toMatchObject({ kind: 'lost', started: false })
  })

  it('after it returned keeps its result', async () => {
    const { stop, result } = begin(TRIVIAL)
    expect(returned(await result).value).toBe('1')
    stop.abort()
    expect(returned(await pool.run(request(TRIVIAL), NO_KEYS)).value).toBe('1')
  })
})
