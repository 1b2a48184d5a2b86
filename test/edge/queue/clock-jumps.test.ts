import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEASE_MS } from '../../../edge/queue/live-runs.ts'
import { START_WINDOW_MS } from '../../../edge/queue/start-window.ts'
import { success } from '../app.ts'
import { endedWith, never, refused, simulate } from './simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('a clock that is set back by an hour', () => {
  it('delays no retry beyond its own backoff', () =>
    simulate({}, async (sim) => {
      const begin = sim.watch
      sim.behaviour.execute = ({ attempt }) => (attempt < 4 ? refused(500) : endedWith('done'))
      await sim.add(1)
      await sim.advance(70_000)
      sim.setClock(-HOUR)
      await sim.advance(10 * MINUTE)
      expect(sim.calls).toHaveLength(4)
      expect(sim.calls.at(-1)!.watch - begin).toBeLessThanOrEqual(665_000)
    }))

  it('does not delay runs that wait for payment or the origin', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.watch
      const answers = [refused(402), refused(503, 40), endedWith('done')]
      sim.behaviour.execute = () => answers[sim.calls.length - 1]!
      await sim.add(1)
      sim.setClock(-HOUR)
      await sim.advance(MINUTE)
      sim.setClock(-HOUR)
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(3)
      expect(sim.calls[1]!.watch - begin).toBeLessThanOrEqual(MINUTE)
      expect(sim.calls[2]!.watch - sim.calls[1]!.watch).toBeLessThanOrEqual(40_000)
    }))

  it('delays the next start by at most a minute, even across restarts', () =>
    simulate({ maxRunsPerMinute: 2 }, async (sim) => {
      await sim.add(2)
      await sim.advance(30_000)
      sim.setClock(-HOUR)
      await sim.add(1)
      await sim.advance(20_000)
      await sim.restart()
      await sim.advance(20_000)
      await sim.restart()
      expect(sim.calls).toHaveLength(2)
      await sim.advance(20_000)
      expect(sim.calls).toHaveLength(3)
    }))

  it('does not delay a run that a killed object left, which is resumed when its lease expires', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      const [suffix] = await sim.add(1)
      sim.setClock(-HOUR)
      const { outcome } = success('taken up')
      sim.behaviour.outcomes = () => ({ ended: { [suffix!]: outcome }, running: [], unknown: [] })
      await sim.restart()
      await sim.advance(LEASE_MS)
      expect(sim.statuses()).toEqual(['success'])
      expect(sim.calls).toHaveLength(1)
    }))

  it('fails no run early while the origin is unreachable', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(503, 3_600)
      await sim.add(1)
      await sim.advance(2 * MINUTE)
      sim.setClock(-HOUR)
      await sim.advance(23 * HOUR)
      expect(sim.statuses()).toEqual(['queued'])
      await sim.advance(4 * HOUR)
      expect(sim.statuses()).toEqual(['failed'])
    }))
})

describe('a clock that is set forward by an hour', () => {
  it('does not expire the lease of a running run', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      await sim.add(3)
      sim.setClock(HOUR)
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(3)
      expect(sim.polls).toEqual([])
    }))

  it('starts queued runs once more, up to the cap', () =>
    simulate({ maxRunsPerMinute: 2 }, async (sim) => {
      await sim.add(9)
      sim.setClock(HOUR)
      await sim.advance(59_999)
      expect(sim.calls).toHaveLength(4)
    }))
})

const step = fc.record({
  jump: fc.constantFrom(0, 0, HOUR, -HOUR, 17 * MINUTE, -17 * MINUTE, -30_000, 20),
  wait: fc.integer({ min: 0, max: 40_000 }),
  runs: fc.integer({ min: 0, max: 3 }),
  restart: fc.boolean(),
})
const steps = fc.array(step, { minLength: 3, maxLength: 8 })

it('a clock that jumps at random loses no run, and each jump forward allows at most one more cap of starts', () =>
  fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), (taken, cap) =>
      simulate({ maxRunsPerMinute: cap }, async (sim) => {
        const answers = [endedWith(1), refused(500), refused(402), refused(503, 5), endedWith(2)]
        let turn = 0
        const executed: number[] = []
        sim.behaviour.execute = ({ attempt, watch }) => {
          const answer = attempt > 2 ? endedWith(3) : answers[turn++ % answers.length]!
          const isRefused = answer.state === 'refused' && answer.status !== 500
          if (!isRefused) executed.push(watch)
          return answer
        }
        const stepsForward: number[] = []
        for (const { jump, wait, runs, restart } of taken) {
          if (runs > 0) await sim.add(runs)
          sim.setClock(jump)
          if (jump > 0) stepsForward.push(sim.watch)
          if (restart) await sim.restart()
          await sim.advance(wait)
        }
        // From here on, runs wait only for their turn and their own delays.
        const unfinished = sim.statuses().filter((status) => status !== 'success').length
        await sim.advance((10 + 6 * unfinished) * MINUTE)
        expect(sim.statuses().every((status) => status === 'success')).toBe(true)
        for (const begin of executed) {
          const inWindow = (at: number) => at >= begin && at < begin + START_WINDOW_MS
          const started = executed.filter(inWindow).length
          expect(started).toBeLessThanOrEqual(cap * (stepsForward.filter(inWindow).length + 1))
        }
      }),
    ),
    { numRuns: 12 },
  ))
