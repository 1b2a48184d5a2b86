import { describe, expect, it } from 'vitest'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { random } from '../app.ts'
import { away, endedWith, refused, settled, simulate, type Simulation } from './simulation.ts'

const MINUTE = 60_000

async function runs(sim: Simulation, count: number, everyMs: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await sim.add(1)
    await sim.advance(everyMs)
  }
}

describe('a rejected key', () => {
  it.each([401, 403])('with %i ten times in 15 minutes disables the trigger', (status) =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(status)
      await runs(sim, 9, 100_000)
      expect(sim.state.current).toMatchObject({ enabled: true, refusals: 9 })
      await sim.add(1)
      expect(sim.state.current).toMatchObject({ enabled: false, indexStale: true })
      expect(sim.state.current!.disabledReason).toContain(`status ${status}: No. None.`)
      expect(sim.state.current!.disabledReason).toContain('usage_api_key')
      await sim.add(1)
      expect(sim.calls).toHaveLength(10)
      expect(sim.statuses().at(-1)).toBe('queued')
    }),
  )

  it('does not disable the trigger after a burst, only after a quarter of an hour', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(403)
      await sim.add(30)
      await sim.advance(14 * MINUTE)
      await sim.add(1)
      expect(sim.state.current).toMatchObject({ enabled: true, refusals: 31 })
      await sim.advance(MINUTE)
      await sim.add(1)
      expect(sim.state.current!.enabled).toBe(false)
    }))

  it('does not disable the trigger after nine rejections in an hour', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(401)
      await runs(sim, 9, 7 * MINUTE)
      expect(sim.state.current!.enabled).toBe(true)
    }))

  it.each([
    ['a success', () => endedWith(1)],
    ['a request that is not found', () => refused(404)],
    ['an invalid one', () => refused(422)],
  ])('%s in between resets the count', (_, answer) =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(403)
      await runs(sim, 9, 2 * MINUTE)
      sim.behaviour.execute = answer
      await sim.add(1)
      expect(sim.state.current).toMatchObject({ refusals: 0, refusalsSince: null })
      sim.behaviour.execute = () => refused(403)
      await runs(sim, 9, 2 * MINUTE)
      expect(sim.state.current!.enabled).toBe(true)
    }),
  )

  it('is still counted after a failure of the origin in between', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(403)
      await runs(sim, 9, 2 * MINUTE)
      sim.behaviour.execute = away
      await sim.add(1)
      expect(sim.state.current).toMatchObject({ refusals: 9 })
    }))

  it('is counted across restarts until the owner enables the trigger again', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(403)
      await runs(sim, 9, 2 * MINUTE)
      await sim.restart()
      await sim.add(1)
      expect(sim.state.current!.enabled).toBe(false)
      await sim.add(2)
      sim.behaviour.execute = () => endedWith('allowed')
      await sim.patch({ enabled: true })
      expect(sim.state.current).toMatchObject({ disabledReason: null, refusals: 0 })
      expect(sim.statuses().slice(-2)).toEqual(['success', 'success'])
    }))

  it('is not counted against a new key', () =>
    simulate({}, async (sim) => {
      const answer = Promise.withResolvers<ExecuteResponse>()
      sim.behaviour.execute = () => answer.promise
      await sim.add(1)
      await sim.patch({ sealedUsageKey: random(32) })
      answer.resolve(refused(403))
      await settled()
      expect(sim.statuses()).toEqual(['failed'])
      expect(sim.state.current).toMatchObject({ refusals: 0, refusalsSince: null })
    }))

  it.each([400, 404, 409, 413, 422])('%i fails the run and never disables the trigger', (status) =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(status)
      await runs(sim, 20, MINUTE)
      expect(sim.state.current).toMatchObject({ enabled: true, refusals: 0 })
    }),
  )
})

it('writes counters only when they change', () =>
  simulate({}, async (sim) => {
    await sim.add(1)
    const written = () => sim.storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
    const before = written()
    await sim.add(1)
    // Insert the run as started, record its start, and mark it as finished with its result.
    expect(written() - before).toBe(3)
  }))
