import { describe, expect, it } from 'vitest'
import { endedWith, refused, settled, simulate } from './simulation.ts'

const MINUTE = 60_000

describe('one at a time', () => {
  it('a run that waits for its retry holds those behind it', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith('done'))
      const [first, second] = await sim.add(2)
      await sim.advance(4_999)
      expect(sim.calls).toHaveLength(1)
      await sim.advance(20_000)
      expect(sim.calls.map((call) => [call.suffix, call.attempt])).toEqual([
        [first, 1],
        [first, 2],
        [second, 1],
        [second, 2],
      ])
    }))

  it('one that never gets through holds them until it has failed, and no longer', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      await sim.advance(665_000)
      expect(sim.statuses()).toEqual(['failed', 'success', 'success'])
      expect(sim.calls.at(-1)!.at - begin).toBe(665_000)
    }))

  it('the next one starts when the concurrency is raised', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      await sim.patch({ options: { concurrency: 2 } })
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
    }))
})

describe('several at a time', () => {
  it('others pass a run that waits for its retry', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
    }))

  it('a retry that is due goes before what came later', () =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith('done'))
      const [first] = await sim.add(3)
      await sim.advance(MINUTE)
      expect(sim.calls.map((call) => call.suffix)).toEqual([first, first])
    }))
})

it('what waited for the origin goes first when it is back, also before its pause would have ended', () =>
  simulate({}, async (sim) => {
    const first = await sim.addSlow()
    sim.behaviour.execute = () => refused(503, 600)
    const [second] = await sim.add(1)
    const [third] = await sim.add(1)
    sim.behaviour.execute = () => endedWith('done')
    await sim.advance(600_000)
    await settled()
    expect(sim.calls.map((call) => call.suffix)).toEqual([first, second, second, third])
  }))

it('sixty-four at once take three connections to start, in order, and one to hear of their ends', () =>
  simulate({ concurrency: 64 }, async (sim) => {
    sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
    const suffixes = await sim.add(70)
    await settled()
    expect(sim.calls.map((call) => call.suffix)).toEqual(suffixes.slice(0, 64))
    expect(sim.mostExecuting).toBeLessThanOrEqual(3)
    expect(new Set(sim.polls.at(-1))).toEqual(new Set(suffixes.slice(0, 64)))
  }))
