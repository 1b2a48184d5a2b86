import { describe, expect, it } from 'vitest'
import { failed, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const PAUSE = 'const pause = (ms) => new Promise((done) => setTimeout(done, ms))\n'

describe('setInterval', () => {
  it('fires until it is cleared, with its arguments', async () => {
    const code = `${PAUSE}async function main() {
      const seen = []
      const id = setInterval((a, b) => { if (seen.push(a + b) === 3) clearInterval(id) }, 2, 'x', 'y')
      await pause(60)
      return seen
    }`
    expect(await sandbox.value(code)).toEqual(['xy', 'xy', 'xy'])
  })

  it('can be cleared by clearTimeout too, and from inside another callback', async () => {
    const code = `${PAUSE}async function main() {
      let count = 0
      const id = setInterval(() => count++, 1)
      while (count < 2) await pause(5)
      await new Promise((resume) => setTimeout(() => resume(clearTimeout(id)), 1))
      const before = count
      await pause(20)
      return [before > 1, count === before]
    }`
    expect(await sandbox.value(code)).toEqual([true, true])
  })

  it('keeps a run alive that waits for nothing else, until its deadline', async () => {
    const code = 'const main = () => { setInterval(() => {}, 10); return new Promise(() => {}) }'
    expect(failed(await sandbox.run(code, { wallMs: 200 })).code).toBe('action_timeout')
  })

  it('that was cleared does not keep a run alive', async () => {
    const code = `const main = () => {
      const id = setInterval(() => clearInterval(id), 1)
      return new Promise(() => {})
    }`
    expect(failed(await sandbox.run(code)).code).toBe('action_pending')
  })

  it('counts once towards the limit of live timers', async () => {
    const code = `${PAUSE}async function main() {
      const ids = Array.from({ length: 999 }, () => setInterval(() => {}, 1))
      await pause(20)
      const last = setTimeout(() => {}, 1000)
      let refused
      try { setInterval(() => {}, 1) } catch (error) { refused = error.message }
      ids.forEach(clearInterval)
      clearTimeout(last)
      await pause(1)
      return refused
    }`
    expect(await sandbox.value(code)).toBe('setInterval: at most 1000 timers at once')
  })
})

describe('setTimeout', () => {
  it.each([
    ['a text', "'alert(1)'"],
    ['nothing', ''],
  ])('throws a TypeError if called with %s', async (_name, argument) => {
    const code = `const main = () => { try { setTimeout(${argument}) } catch (e) { return e.name } }`
    expect(await sandbox.value(code)).toBe('TypeError')
  })

  it('accepts any delay', async () => {
    const code = `const main = () => new Promise((done) => {
      const seen = []
      for (const ms of [undefined, null, NaN, -5, '3', { valueOf: () => 4 }, Infinity]) {
        const id = setTimeout((m) => { if (seen.push(m) === 6) done(seen) }, ms, String(ms))
        if (ms === Infinity) clearTimeout(id)
      }
    })`
    const seen = (await sandbox.value(code)) as string[]
    expect(seen.toSorted()).toEqual(['-5', '3', 'NaN', '[object Object]', 'null', 'undefined'])
  })

  it.each(['undefined', 'null', '{}', '-1', '1e9', '"x"', 'NaN'])(
    'clearing %s is not an error',
    async (id) => {
      const code = `const main = () => { clearTimeout(${id}); clearInterval(${id}); return 'fine' }`
      expect(await sandbox.value(code)).toBe('fine')
    },
  )
})

describe('queueMicrotask', () => {
  it('runs in order with promises, before timers', async () => {
    const code = `async function main() {
      const order = []
      setTimeout(() => order.push('timer'))
      queueMicrotask(() => { order.push('a'); queueMicrotask(() => order.push('c')) })
      Promise.resolve().then(() => order.push('b'))
      await new Promise((done) => setTimeout(done, 10))
      return order
    }`
    expect(await sandbox.value(code)).toEqual(['a', 'b', 'c', 'timer'])
  })

  it('accepts only functions', async () => {
    const code = `const main = () => ['x', null, {}].map((value) => {
      try { queueMicrotask(value) } catch (error) { return error.name }
    })`
    expect(await sandbox.value(code)).toEqual(['TypeError', 'TypeError', 'TypeError'])
  })
})

describe('an uncaught error ends the run', () => {
  it.each([
    ['a microtask', 'queueMicrotask(() => { throw new RangeError("lost") })'],
    ['a timer', 'setTimeout(() => { throw new RangeError("lost") })'],
    ['an interval', 'setInterval(() => { throw new RangeError("lost") }, 1)'],
    [
      "a signal's listener",
      'AbortSignal.timeout(1).onabort = () => { throw new RangeError("lost") }',
    ],
  ])('in %s, with the lines of the action', async (_name, statement) => {
    const code = `function main() {\n  ${statement}\n  return new Promise((done) => setTimeout(done, 500))\n}`
    const result = failed(await sandbox.run(code))
    expect(result).toMatchObject({ code: 'action_threw', message: 'lost' })
    expect(result.stack).toMatch(/^RangeError: lost\n {4}at .*action\.js:2:\d+\)?$/)
  })
})

describe('performance', () => {
  it('counts milliseconds from the start of the run', async () => {
    const code = `${PAUSE}async function main() {
      const first = performance.now()
      const wall = Date.now()
      await pause(30)
      return { first, passed: performance.now() - first, origin: wall - performance.timeOrigin }
    }`
    const read = (await sandbox.value(code)) as Record<string, number>
    expect(read['first']).toBeGreaterThanOrEqual(0)
    expect(read['first']).toBeLessThan(200)
    expect(read['passed']).toBeGreaterThanOrEqual(29)
    expect(read['passed']).toBeLessThan(2000)
    expect(read['origin']).toBeGreaterThanOrEqual(0)
    expect(read['origin']).toBeLessThan(500)
  })

  it('restarts in each run', async () => {
    const code = 'const main = () => performance.now()'
    await new Promise((done) => setTimeout(done, 300))
    expect(await sandbox.value(code)).toBeLessThan(200)
  })
})
