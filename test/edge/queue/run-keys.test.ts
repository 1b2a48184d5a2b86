import { describe, expect, it } from 'vitest'
import { endedWith, refused, settled, simulate, type Simulation } from './simulation.ts'
import { success } from '../app.ts'
import { watched } from './seeded.ts'
import { RunKeys } from '../../../edge/queue/run-keys.ts'

const { outcome } = success('done')
const ORDER = { order_key: 'event.key' }
const CONCURRENCY = { concurrency_key: 'event.key' }
const a = 'order_key:a'
const b = 'order_key:b'
const ca = 'concurrency_key:a'
const cb = 'concurrency_key:b'

/** Simulates a trigger with these options, up to eight concurrent runs, and rows for its keys. */
const keyed = (options: object, test: (sim: Simulation) => Promise<void>) =>
  simulate({ concurrency: 8 }, async (sim) => {
    await sim.patch({ options: { concurrency: 8, ...options } })
    await test(sim)
  })

const started = (sim: Simulation) => sim.calls.map(({ suffix }) => suffix)
const keyRows = (sim: Simulation) => sim.storage.sql.exec('SELECT * FROM run_keys').toArray()

describe('runs with the same order key', () => {
  it('run one at a time in order of arrival, beside runs with other keys', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      const [a1] = await sim.add(3, a)
      const [b1] = await sim.add(2, b)
      const free = await sim.add(2, null)
      expect(started(sim)).toEqual([a1, b1, ...free])
    }))

  it('wait for a retry of the first one, which delays no other key', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = () => refused(500)
      const [a1] = await sim.add(1, a)
      sim.behaviour.execute = () => endedWith('done')
      const [a2, a3] = await sim.add(2, a)
      const [b1] = await sim.add(1, b)
      expect(started(sim)).toEqual([a1, b1])
      await sim.advance(20_000)
      expect(started(sim)).toEqual([a1, b1, a1, a2, a3])
      expect(keyRows(sim)).toEqual([])
    }))

  it('continue after the first one has failed for good', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3, a)
      await sim.advance(60_000)
      expect(sim.statuses()).toEqual(['queued', 'queued', 'queued'])
      await sim.advance(900_000)
      expect(sim.statuses()).toEqual(['failed', 'success', 'success'])
    }))

  it('continue after the first one was cancelled, and after one in the middle was', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = () => refused(500)
      await sim.add(4, a)
      sim.behaviour.execute = () => endedWith('done')
      expect(sim.dispatcher.cancel(3)).toBe(true)
      expect(sim.dispatcher.cancel(1)).toBe(true)
      await sim.advance(1)
      expect(sim.statuses()).toEqual(['failed', 'success', 'failed', 'success'])
      expect(keyRows(sim)).toEqual([])
    }))

  it('leave nothing behind after a purge, and later runs start', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      await sim.add(3, a)
      expect(sim.dispatcher.purge()).toBe(2)
      expect(keyRows(sim)).toHaveLength(1)
      sim.behaviour.execute = () => endedWith('done')
      const [next] = await sim.add(1, b)
      expect(started(sim).at(-1)).toBe(next)
    }))

  it('keep their order after the object was killed', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      const [a1, a2] = await sim.add(3, a)
      await sim.restart()
      expect(started(sim)).toEqual([a1])
      sim.running.clear()
      sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
      sim.behaviour.execute = ({ suffix }) => (suffix === a2 ? sim.slow(suffix) : endedWith('done'))
      await sim.restart()
      await settled()
      expect(started(sim).slice(0, 3)).toEqual([a1, a1, a2])
    }))
})

describe('runs with the same concurrency key', () => {
  it('run one at a time, beside runs with other keys', () =>
    keyed(CONCURRENCY, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      const [a1] = await sim.add(3, ca)
      const [b1] = await sim.add(2, cb)
      expect(started(sim)).toEqual([a1, b1])
    }))

  it('overtake one that waits for a retry, and the retry waits for the running one', () =>
    keyed(CONCURRENCY, async (sim) => {
      sim.behaviour.execute = () => refused(500)
      const [a1] = await sim.add(1, ca)
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      const [a2, a3] = await sim.add(2, ca)
      expect(started(sim)).toEqual([a1, a2])
      // The retry is due, but its key is busy.
      await sim.advance(20_000)
      expect(started(sim)).toEqual([a1, a2])
      sim.behaviour.execute = () => endedWith('done')
      sim.behaviour.outcomes = (suffixes) => ({
        ended: Object.fromEntries(suffixes.map((suffix) => [suffix, outcome])),
        running: [],
        unknown: [],
      })
      await sim.restart()
      await sim.advance(60_000)
      expect(started(sim)).toEqual([a1, a2, a1, a3])
      expect(sim.statuses()).toEqual(['success', 'success', 'success'])
      expect(keyRows(sim)).toEqual([])
    }))
})

describe('a trigger', () => {
  it('that gets keys keeps its queued runs, and loses the rows with the last run after a change', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      await sim.add(4)
      await sim.patch({ options: { concurrency: 8, ...ORDER } })
      expect(sim.calls).toHaveLength(4)
      await sim.add(2, a)
      expect(sim.calls).toHaveLength(5)
      await sim.patch({ options: {} })
      expect(sim.state.current!.keyed).toBe(true)
      sim.behaviour.outcomes = (suffixes) => ({
        ended: Object.fromEntries(suffixes.map((suffix) => [suffix, outcome])),
        running: [],
        unknown: [],
      })
      sim.behaviour.execute = () => endedWith('done')
      await sim.restart()
      await sim.advance(60_000)
      expect(sim.statuses()).toEqual(Array.from({ length: 6 }, () => 'success'))
      expect([sim.state.current!.keyed, keyRows(sim)]).toEqual([false, []])
    }))

  it('finds the next run with few reads behind ten thousand runs of a busy key', () =>
    keyed(ORDER, async (sim) => {
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      await sim.add(10_000, a)
      const { storage, rowsRead } = watched(sim.storage)
      const keys = new RunKeys(storage.sql, sim.state)
      expect(keys.next(sim.now, [])).toBeUndefined()
      expect(rowsRead()).toBeLessThan(10)
      await sim.add(1, b)
      expect(sim.calls).toHaveLength(2)
    }))
})

/** Mulberry32. */
function randomOf(seed: number): (max: number) => number {
  let state = seed
  return (max) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % max
  }
}

describe('random runs, failures, cancellations and restarts', () => {
  it.each([1, 2, 3, 4, 5, 6])('never overlap within a key, and all end (seed %i)', (seed) =>
    keyed(seed % 2 === 0 ? ORDER : CONCURRENCY, async (sim) => {
      const random = randomOf(seed)
      const keys =
        seed % 2 === 0 ? [a, b, 'order_key:c', null] : [ca, cb, 'concurrency_key:c', null]
      const keyOf = new Map<string, string | null>()
      const executing = new Map<string, string>()
      const first = new Map<string, string[]>()
      sim.behaviour.execute = async ({ suffix, attempt }) => {
        const key = keyOf.get(suffix) ?? null
        if (key !== null) {
          expect(executing.get(key)).toBeUndefined()
          executing.set(key, suffix)
        }
        await Promise.resolve()
        if (key !== null) executing.delete(key)
        if (attempt < 3 && random(3) === 0) return refused(500)
        if (key !== null) first.set(key, [...(first.get(key) ?? []), suffix])
        return endedWith('done')
      }
      const cancelled = new Set<string>()
      for (let n = 0; n < 60; n++) {
        const key = keys[random(keys.length)]!
        const count = 1 + random(3)
        // The keys must be known before the runs start.
        sim.behaviour.execute = ((execute) => (call) => {
          if (!keyOf.has(call.suffix)) keyOf.set(call.suffix, key)
          return execute(call)
        })(sim.behaviour.execute)
        for (const suffix of await sim.add(count, key)) keyOf.set(suffix, key)
        if (random(5) === 0) {
          const sequence = 1 + random(sim.rows().length)
          if (sim.dispatcher.cancel(sequence)) cancelled.add(sim.rows()[sequence - 1]!.suffix)
        }
        if (random(8) === 0) await sim.restart()
        await sim.advance(random(8_000))
      }
      await sim.advance(3_600_000)
      expect(new Set(sim.statuses())).not.toContain('queued')
      expect(sim.statuses()).not.toContain('running')
      expect(keyRows(sim)).toEqual([])
      if (seed % 2 === 1) return
      // With an order key, runs end in order of arrival.
      for (const [key, ended] of first) {
        const arrived = sim.rows().map(({ suffix }) => suffix)
        const expected = arrived.filter(
          (suffix) => keyOf.get(suffix) === key && ended.includes(suffix),
        )
        expect(ended).toEqual(expected)
      }
    }),
  )
})
