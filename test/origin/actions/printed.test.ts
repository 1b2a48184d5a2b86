import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { failed, NO_KEYS, request, returned } from './sandbox.ts'

let pool: ActionPool
beforeAll(async () => {
  pool = createActionPool({ min: 1, max: 1, onEvent: () => {} })
  await pool.ready()
})
afterAll(() => pool.close())

/** Starts a run, and records the texts of each report of its console output. */
function begin(code: string) {
  const stop = new AbortController()
  const reports: string[][] = []
  const result = pool.run(request(code), NO_KEYS, {
    signal: stop.signal,
    started: () => {},
    printed: (lines) => void reports.push(lines.map(({ text }) => text)),
  })
  return { stop, reports, result }
}

describe('console output of a run in progress', () => {
  it('is reported each time the run waits', async () => {
    const { stop, reports, result } = begin(`async function main() {
      const wait = (ms) => new Promise((done) => setTimeout(done, ms))
      console.log('a')
      console.warn('b')
      await wait(1)
      console.log('c')
      await wait(20000)
    }`)
    await expect.poll(() => reports, { timeout: 20_000 }).toEqual([['a', 'b'], ['c']])
    stop.abort()
    const { logs } = failed(await result)
    expect(logs.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })

  it('is reported while the run computes, and kept if the run has to be killed', async () => {
    const { stop, reports, result } = begin(`function main() {
      console.log('before')
      for (;;) {}
    }`)
    await expect.poll(() => reports, { timeout: 20_000 }).toEqual([['before']])
    stop.abort()
    const { code, logs } = failed(await result)
    expect([code, logs.map(({ text }) => text)]).toEqual(['stopped', ['before']])
  })

  it('message flood: is reported at intervals after 500 reports', async () => {
    const { reports, result } = begin(`async function main() {
      for (let line = 0; line < 3000; line++) {
        console.log(String(line))
        await new Promise((done) => setTimeout(done, 0))
      }
    }`)
    const { durationMs, logs } = returned(await result)
    expect(logs).toHaveLength(3_000)
    expect(reports.length).toBeGreaterThan(500)
    expect(reports.length).toBeLessThan(500 + durationMs / 5)
    expect(reports.flat()).toEqual(logs.slice(0, reports.flat().length).map(({ text }) => text))
  })
})
