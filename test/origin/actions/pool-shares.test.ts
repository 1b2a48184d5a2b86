import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CpuUsage } from '../../../origin/actions/pool/cpu-usage.ts'
import { FairQueue } from '../../../origin/actions/pool/fair-queue.ts'
import { ExecutorShares } from '../../../origin/actions/pool/shares.ts'

const ANY = () => true

describe('the queue in front of the executors', () => {
  const line = () => new FairQueue<{ account: string; bytes: number; n?: number }>(BOUNDS)
  const BOUNDS = { count: 100, bytes: 1_000 }

  it('serves accounts in turn, and each account in order of arrival', () => {
    const queue = line()
    for (let n = 0; n < 4; n++) queue.add({ account: 'flood', bytes: 1, n })
    for (let n = 0; n < 2; n++) queue.add({ account: 'other', bytes: 1, n })
    const order = Array.from({ length: 6 }, () => queue.take(ANY)).map((item) => [
      item?.account,
      item?.n,
    ])
    const flood = (n: number) => ['flood', n]
    const other = (n: number) => ['other', n]
    expect(order).toEqual([flood(0), other(0), flood(1), other(1), flood(2), flood(3)])
    expect(queue.take(ANY)).toBeUndefined()
  })

  it('stays open under floods of many accounts: a new account gets the last place of the longest queue', () => {
    const queue = line()
    for (let account = 0; account < 20; account++)
      for (let n = 0; queue.hasRoom({ account: `${account}`, bytes: 1 }); n++)
        queue.add({ account: `${account}`, bytes: 1, n })
    const newcomer = { account: 'newcomer', bytes: 1 }
    expect([queue.count, queue.hasRoom(newcomer), queue.canDisplace(newcomer)]).toEqual([
      100,
      false,
      true,
    ])
    expect(queue.displace(newcomer)).toEqual([{ account: '0', bytes: 1, n: 49 }])
    queue.add(newcomer)
    expect([queue.count, queue.countOf('0'), queue.countOf('newcomer')]).toEqual([100, 49, 1])
    expect(queue.canDisplace(newcomer)).toBe(false)
  })

  it('skips an account that is not allowed to start, which keeps its turn', () => {
    const queue = line()
    for (const account of ['a', 'b', 'a']) queue.add({ account, bytes: 1 })
    expect(queue.take((account) => account !== 'a')?.account).toBe('b')
    expect(queue.take(ANY)?.account).toBe('a')
  })

  it('queue filled by one account: reserves half of the rest for the others', () => {
    const queue = line()
    const fill = (account: string, bytes: number) => {
      let added = 0
      for (; queue.hasRoom({ account, bytes }); added++) queue.add({ account, bytes })
      return added
    }
    expect(fill('flood', 1)).toBe(50)
    expect(fill('second flood', 1)).toBe(25)
    expect(queue.hasRoom({ account: 'other', bytes: 1 })).toBe(true)
  })

  it('memory filled by one account: reserves half of the rest for the others', () => {
    const queue = line()
    for (const account of Array(20).fill('flood')) {
      const item = { account, bytes: 100 }
      if (queue.hasRoom(item)) queue.add(item)
    }
    expect(queue.countOf('flood')).toBe(5)
    expect(queue.hasRoom({ account: 'other', bytes: 500 })).toBe(true)
    expect(queue.hasRoom({ account: 'other', bytes: 501 })).toBe(false)
  })

  it('property: stays within its bounds and loses no item', () => {
    const step = fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.nat(400),
      what: fc.constantFrom('add', 'add', 'take', 'remove'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = line()
        const held = new Set<{ account: string; bytes: number }>()
        for (const { account, bytes, what } of steps) {
          if (what === 'add' && queue.hasRoom({ account, bytes })) {
            const item = { account, bytes }
            queue.add(item)
            held.add(item)
          } else if (what === 'take') {
            const item = queue.take((name) => name === account)
            if (item) expect(held.delete(item)).toBe(true)
            else expect([...held].filter((one) => one.account === account)).toEqual([])
          } else if (what === 'remove') {
            const [first] = held
            if (first) expect([queue.remove(first), queue.remove(first)]).toEqual([true, false])
            if (first) held.delete(first)
          }
          expect(queue.count).toBe(held.size)
          expect(held.size).toBeLessThanOrEqual(BOUNDS.count)
          const bytesHeld = [...held].reduce((sum, item) => sum + item.bytes, 0)
          expect(bytesHeld).toBeLessThanOrEqual(BOUNDS.bytes)
        }
        expect(new Set(queue.clear())).toEqual(held)
      }),
    )
  })
})

describe('the shares of the executors', () => {
  const shares = ({ max = 16, cores = 4, isShared = false } = {}) =>
    new ExecutorShares({ max, cores, isShared: () => isShared })
  const waits = (account: string) => ({ account, computing: false, isLong: false })
  /** Starts runs that then wait, as many as allowed. */
  const fill = (all: ExecutorShares, account: string) => {
    let started = 0
    for (; all.mayStart(account) && started < 100; started++) {
      all.started(account)
      all.changed(waits(account))
    }
    return started
  }

  it.each([1, 2, 3, 8, 16, 64])('limit a single account to half of %i executors', (max) => {
    expect(fill(shares({ max }), 'a')).toBe(Math.ceil(max / 2))
  })

  it('executors taken by floods of several accounts: keep one for the next account', () => {
    const all = shares()
    const floods = Array.from({ length: 4 }, (_, n) => fill(all, `flood ${n}`))
    expect(floods).toEqual([8, 4, 2, 1])
    expect(all.mayStart('other')).toBe(true)
  })

  it('limit the computing runs of an account to the number of cores; waiting runs do not count', () => {
    const all = shares({ cores: 2 })
    all.started('a')
    all.started('a')
    expect(all.mayStart('a')).toBe(false)
    all.changed(waits('a'))
    expect(all.mayStart('a')).toBe(true)
  })

  it('processors taken by one account: let another account start at once', () => {
    const all = shares({ cores: 2 })
    for (let n = 0; n < 2; n++) all.started('flood')
    expect(all.mayStart('other')).toBe(true)
  })

  it('leave one core free while accounts share the processors', () => {
    const all = shares({ cores: 2, isShared: true })
    all.started('flood')
    expect([all.mayStart('flood'), all.mayStart('other')]).toEqual([false, true])
  })

  it('do not let long computations block other accounts', () => {
    const all = shares({ cores: 2 })
    for (const account of ['long', 'long', 'a']) all.started(account)
    expect([all.mayStart('long'), all.mayStart('a')]).toEqual([false, false])
    all.becameLong()
    all.becameLong()
    expect([all.mayStart('long'), all.mayStart('a')]).toEqual([false, true])
  })

  it('request executors for the runs that could start, not for all waiting runs', () => {
    const all = shares({ max: 16, cores: 2 })
    const waiting = [{ account: 'flood', count: 256 }]
    expect(all.wanted(waiting)).toBe(2)
    all.started('flood')
    all.started('flood')
    expect(all.wanted(waiting)).toBe(0)
    expect(all.wanted([...waiting, { account: 'other', count: 5 }])).toBe(1)
  })

  it('estimate the wait from how long previous runs of the account kept their executors', () => {
    const all = shares()
    for (let n = 0; n < 3; n++) all.started('slow')
    all.started('quick')
    all.ended({ ...waits('slow'), computing: true }, 10_000)
    all.started('quick')
    all.ended({ ...waits('quick'), computing: true }, 10)
    expect(all.waitMs('slow', 4)).toBe(20_000)
    expect(all.waitMs('quick', 4)).toBe(40)
  })

  it('property: are reset after all runs have finished', () => {
    const step = fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      pick: fc.nat(),
      what: fc.constantFrom('start', 'start', 'change', 'long', 'end'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const all = shares({ max: 8, cores: 2 })
        const runs: { account: string; computing: boolean; isLong: boolean }[] = []
        const end = (run: (typeof runs)[number]) => {
          runs.splice(runs.indexOf(run), 1)
          all.ended(run, 5)
        }
        for (const { account, pick, what } of steps) {
          const run = runs[pick % Math.max(1, runs.length)]
          if (what === 'start' && all.mayStart(account)) {
            all.started(account)
            runs.push({ account, computing: true, isLong: false })
          } else if (!run) continue
          else if (what === 'change') {
            run.computing = !run.computing
            all.changed(run)
          } else if (what === 'long' && run.computing && !run.isLong) {
            run.isLong = true
            all.becameLong()
          } else if (what === 'end') end(run)
          expect(all.running).toBe(runs.length)
          expect(runs.length).toBeLessThanOrEqual(8)
        }
        while (runs[0]) end(runs[0])
        expect(all.running).toBe(0)
        const fresh = shares({ max: 8, cores: 2 })
        for (const account of ['a', 'b', 'c', 'd'])
          expect(fill(all, account)).toBe(fill(fresh, account))
      }),
    )
  })
})

describe('the CPU use', () => {
  it('is heavy for an account above half of the cores divided by the number of active accounts', () => {
    const use = new CpuUsage(2)
    for (let now = 0; now < 2_000; now += 10) use.add('flood', 20, now)
    expect(use.isHeavy('flood', 2_000), 'it is alone').toBe(false)
    for (let now = 2_000; now <= 5_000; now += 10) {
      use.add('flood', 15, now)
      use.add('other', 1, now)
    }
    expect([use.isShared, use.isHeavy('flood', 5_000)]).toEqual([true, true])
    expect(use.isHeavy('other', 5_000)).toBe(false)
  })

  it('decays within a few seconds', () => {
    const use = new CpuUsage(2)
    use.add('flood', 2_000, 0)
    use.add('other', 100, 0)
    use.evictInactive(1_000)
    expect(use.isShared).toBe(true)
    use.evictInactive(10_000)
    expect([use.isShared, use.isHeavy('flood', 10_000)]).toEqual([false, false])
  })
})
