import { describe, expect, it } from 'vitest'
import { away, endedWith, refused, simulate, type Simulation } from './simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function goesAway(sim: Simulation) {
  sim.behaviour.execute = away
  sim.behaviour.outcomes = away
}
function comesBack(sim: Simulation) {
  sim.behaviour.execute = () => endedWith('back')
  sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
}

describe('an origin that is unreachable for 15 minutes', () => {
  it.each([
    ['one at a time in order', 1],
    ['eight at a time', 8],
  ])('loses no run and executes none twice: %s', (_, concurrency) =>
    simulate({ concurrency }, async (sim) => {
      goesAway(sim)
      const suffixes: string[] = []
      for (let minute = 0; minute < 15; minute++) {
        suffixes.push(...(await sim.add(2)))
        await sim.advance(MINUTE / 2)
        if (minute % 5 === 2) await sim.restart()
        await sim.advance(MINUTE / 2)
      }
      const before = sim.calls.length
      comesBack(sim)
      await sim.advance(MINUTE)
      const sent = sim.calls.slice(before).map(({ suffix }) => suffix)
      // All runs start in order. A run in doubt is polled first, so it is sent after those that start with it.
      expect(concurrency === 1 ? sent : sent.toSorted()).toEqual(
        concurrency === 1 ? suffixes : suffixes.toSorted(),
      )
      expect(sim.rows().every(({ status, attempt }) => status === 'success' && attempt === 1)).toBe(
        true,
      )
    }),
  )

  it('is shown as the reason for waiting until it responds, even after a restart', () =>
    simulate({}, async (sim) => {
      goesAway(sim)
      const since = sim.now
      await sim.add(2)
      expect(sim.rows()[0]).toMatchObject({ status: 'queued', waiting_for: 'origin' })
      await sim.advance(10 * MINUTE)
      expect(sim.state.current!.originAwaySince).toBe(since)
      await sim.restart()
      expect(sim.dispatcher.waitingFor()).toBe('origin')
      comesBack(sim)
      await sim.advance(2 * MINUTE)
      expect(sim.state.current!.originAwaySince).toBeNull()
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))

  it('gets no more requests from an object that restarts often', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(503, 60)
      await sim.add(1)
      for (let i = 0; i < 60; i++) {
        await sim.advance(10_000)
        await sim.restart()
      }
      expect(sim.calls.length).toBeLessThanOrEqual(11)
      expect(sim.calls.length).toBeGreaterThanOrEqual(10)
    }))
})

describe('an origin that is unreachable for a day', () => {
  it('fails runs that waited that long, and newer ones keep waiting', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = () => refused(503, 3_600)
      await sim.add(2)
      // Simulates the state after a broken connection.
      sim.storage.sql.exec('UPDATE runs SET in_doubt_since = 1, usage_key = 1 WHERE sequence = 2')
      await sim.advance(23 * HOUR)
      await sim.add(1)
      expect(sim.statuses()).toEqual(['queued', 'queued', 'queued'])
      await sim.advance(2 * HOUR)
      expect(sim.statuses()).toEqual(['failed', 'failed', 'queued'])
      const [unsent, sent] = sim.results()
      expect(sent!.error).toMatch(/^origin_away: .*24 hours.*may have run/)
      expect(unsent!.error).toMatch(/^origin_away: .*24 hours; the action was not run/)
      expect(sim.queued).toBe(1)
      expect(sim.ended).toHaveLength(2)
      comesBack(sim)
      await sim.advance(HOUR)
      expect(sim.statuses()).toEqual(['failed', 'failed', 'success'])
    }))

  it('counts from the first failure across restarts; a response resets the count', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = () => refused(503, 3_600)
      const [first] = await sim.add(2)
      await sim.advance(20 * HOUR - MINUTE)
      await sim.restart()
      sim.behaviour.execute = ({ suffix }) =>
        suffix === first ? endedWith('for a moment') : refused(503, 3_600)
      await sim.advance(20 * HOUR)
      expect(sim.statuses()).toEqual(['success', 'queued'])
      await sim.advance(6 * HOUR)
      expect(sim.statuses()).toEqual(['success', 'failed'])
    }))
})

describe('Retry-After', () => {
  it.each([429, 503, 500])('of a day in a %i is limited to an hour', (status) =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => refused(status, 86_400)
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('an hour later')
      await sim.advance(HOUR)
      expect(sim.calls.map(({ at }) => at - begin)).toEqual([0, HOUR])
    }),
  )
})
