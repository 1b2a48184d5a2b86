import { describe, expect, it } from 'vitest'
import { endedWith, refused, settled, simulate } from './simulation.ts'

const MINUTE = 60_000

describe('with a concurrency of one', () => {
  it('a run that waits for its retry blocks later runs', () =>
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

  it('a run that always fails blocks later runs only until it has failed', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      await sim.advance(665_000)
      expect(sim.statuses()).toEqual(['failed', 'success', 'success'])
      expect(sim.calls.at(-1)!.at - begin).toBe(665_000)
    }))

  it('the next run starts when the concurrency is raised', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      await sim.patch({ options: { concurrency: 2 } })
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
    }))
})

describe('with a higher concurrency', () => {
  it('other runs overtake a run that waits for its retry', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(3)
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
    }))

  it('a due retry goes before later runs', () =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith('done'))
      const [first] = await sim.add(3)
      await sim.advance(MINUTE)
      expect(sim.calls.map((call) => call.suffix)).toEqual([first, first])
    }))
})

it('starts runs that waited for the origin first when it recovers, even before the backoff ends', () =>
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

it('starts sixty-four runs in order with three connections, and polls for all outcomes with one', () =>
  simulate({ concurrency: 64 }, async (sim) => {
    sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
    const suffixes = await sim.add(70)
    await settled()
    expect(sim.calls.map((call) => call.suffix)).toEqual(suffixes.slice(0, 64))
    expect(sim.mostExecuting).toBeLessThanOrEqual(3)
    expect(new Set(sim.polls.at(-1))).toEqual(new Set(suffixes.slice(0, 64)))
  }))
