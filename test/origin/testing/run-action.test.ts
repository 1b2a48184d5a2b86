import { runAction } from '@svc-run/cli/test'
import { describe, expect, it } from 'vitest'
import { actionCid } from '../../../shared/cid/compute-cid.ts'

/** Body of `main`, with the params `p`. */
const main = (body: string) => ({ code: `async function main(p) { ${body} }` })

describe('runAction', () => {
  it('returns the response, the logs and the CID', async () => {
    const code = 'async function main({ a }) { console.log("a is", a); return { b: a + 1 } }'
    const run = await runAction({ code }, { params: { a: 1 } })
    expect(run).toRespondWith({ b: 2 })
    expect(run.logs).toEqual([{ level: 'log', at_ms: 0, text: 'a is 1' }])
    expect(run.cid).toBe(await actionCid(code))
  })

  it('returns the error of an action that fails', async () => {
    const run = await runAction(main('throw new RangeError("too much")'))
    expect(run).toFailWith('action_threw', 'too much')
    expect(run.response).toBeUndefined()
    expect(run.error?.stack).toContain('at main (action.js:1:')
  })

  it('builds TypeScript, and maps the stack of an error to it', async () => {
    const action = 'test/origin/testing/project/src/action.ts'
    expect(await runAction(action, { params: { amount: 7 } })).toRespondWith({ amount: 7 })
    const run = await runAction(action, { params: { amount: 500 } })
    expect(run).toFailWith('action_threw', '500 is too much')
    expect(run.error?.stack).toMatch(
      /at checked \(src\/check\.ts:2:\d+\)\n.*\(src\/action\.ts:6:\d+\)/,
    )
  })

  it('starts each run in a clean sandbox', async () => {
    await runAction(main('globalThis.left = 1; Array.prototype.push = null'))
    const run = await runAction(main('return [typeof left, typeof [].push]'))
    expect(run).toRespondWith(['undefined', 'function'])
  })

  it('runs actions that tests start at the same time', async () => {
    const runs = await Promise.all(
      [1, 2, 3].map((n) => runAction(main('return p.n * 2'), { params: { n } })),
    )
    expect(runs.map(({ response }) => response)).toEqual([2, 4, 6])
  })

  it('has the stack of production, so that endless recursion can be caught', async () => {
    const run = await runAction(
      main(
        'let depth = 0; const f = () => { depth++; f() }; try { f() } catch (e) { return { depth, is: e.name } }',
      ),
    )
    expect(run).toRespondWith({ depth: expect.any(Number), is: 'InternalError' })
    expect((run.response as { depth: number }).depth).toBeGreaterThan(2000)
  })

  it('is in UTC, wherever the test runs', async () => {
    const run = await runAction(main('return [new Date().getTimezoneOffset(), String(new Date())]'))
    expect(run).toRespondWith([0, expect.stringContaining('GMT+0000')])
  })

  it('names an unknown option', async () => {
    const options = { param: { a: 1 } } as object
    await expect(runAction(main(''), options)).rejects.toThrow(
      'unknown option param; the options are params, wallets, fetch, now, chains, limits',
    )
  })

  it.each<[options: object, message: string]>([
    [{ now: 'tomorrow' }, "now: expected a date such as '2026-01-01T00:00:00Z'"],
    [{ params: [1] }, 'params: expected an object'],
    [{ wallets: { a: { address: '0x' } } }, 'wallets.a: expected a wallet that testWallet'],
    [{ fetch: { 'api.example.com': {} } }, 'fetch["api.example.com"]: expected a route such as'],
    [
      { fetch: { 'https://a.example/': { body: '' } } },
      'fetch["https://a.example/"]: unknown member "body"',
    ],
    [{ fetch: { 'https://a.example/': { json: 1, text: '' } } }, 'has both json and text'],
    [{ fetch: { 'https://a.example/': { status: 99 } } }, '.status: expected an integer'],
  ])('explains what is wrong with %j', async (options, message) => {
    await expect(runAction(main(''), options)).rejects.toThrow(message)
  })

  it('refuses params that are too large for the API', async () => {
    const params = { text: 'x'.repeat(8 * 1024 * 1024) }
    await expect(runAction(main(''), { params })).rejects.toThrow(
      'params: 8388619 bytes exceed the limit of 8388608',
    )
  })

  it('names a file that does not exist', async () => {
    await expect(runAction('src/missing.ts')).rejects.toThrow('missing.ts does not exist')
  })
})

describe('the fake clock', () => {
  it('starts at the given time, and stands still while the action computes', async () => {
    const code = `const times = [Date.now()]
      for (let i = 0; i < 300000; i++) times[0] += 0
      return [...times, Date.now(), performance.now(), new Date().toISOString()]`
    const run = await runAction(main(code), { now: '2030-06-01T12:00:00Z' })
    const start = Date.UTC(2030, 5, 1, 12)
    expect(run).toRespondWith([start, start, 0, '2030-06-01T12:00:00.000Z'])
  })

  it('jumps to the next timer when the action only waits', async () => {
    const code = `const seen = []
      setTimeout(() => seen.push(['b', performance.now()]), 60000)
      setTimeout(() => seen.push(['a', performance.now()]), 1000)
      await new Promise((resolve) => setTimeout(resolve, 90000))
      return [...seen, Date.now()]`
    const run = await runAction(main(code))
    const end = Date.UTC(2026, 0, 1, 0, 1, 30)
    expect(run).toRespondWith([['a', 1000], ['b', 60000], end])
    expect(run.durationMs).toBe(90_000)
  })

  it('reaches the wall-clock limit without waiting', async () => {
    const run = await runAction(main('await new Promise((resolve) => setTimeout(resolve, 200000))'))
    expect(run).toFailWith('action_timeout', '120 s of time')
  })

  it('ends a loop that waits for the clock by its CPU limit', async () => {
    const run = await runAction(main('while (Date.now() < 9e15);'), { limits: { cpuMs: 200 } })
    expect(run).toFailWith('action_timeout', '0.2 s of CPU time')
  })

  it('applies to the delays of responses, so that a timeout of the action can be tested', async () => {
    const code = `try { await fetch('https://slow.example.com/', { signal: AbortSignal.timeout(5000) }) }
      catch (error) { return [error.name, performance.now()] }`
    const run = await runAction(main(code), {
      fetch: { 'https://slow.example.com/': { delayMs: 60_000 } },
    })
    expect(run).toRespondWith(['TimeoutError', 5000])
  })
})
