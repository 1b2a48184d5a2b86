/** Runs that start as soon as they are stored, without a separate write for their start. */
import { describe, expect, it } from 'vitest'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { LEASE_MS } from '../../../edge/queue/live-runs.ts'
import { away, endedWith, never, refused, settled, simulate } from './simulation.ts'

const MINUTE = 60_000

describe('a new run', () => {
  it('is stored as running while there is room, and as queued above the concurrency', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      sim.behaviour.execute = () => never()
      expect(sim.dispatcher.immediateStarts()).toMatchObject({ max: 2 })
      await sim.add(3)
      expect(sim.statuses()).toEqual(['running', 'running', 'queued'])
      expect(sim.queued).toBe(1)
      expect(sim.dispatcher.immediateStarts()).toBeUndefined()
    }))

  it('never overtakes a run that waits for its retry', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith('done'))
      const [first] = await sim.add(1)
      const [second] = await sim.add(1)
      expect(sim.statuses()).toEqual(['queued', 'queued'])
      await sim.advance(MINUTE)
      const order = sim.calls.map(({ suffix }) => suffix)
      expect(order).toEqual([first, first, second, second])
    }))

  it('is queued while the trigger is disabled, while the origin is unavailable, and while credit is missing', () =>
    simulate({}, async (sim) => {
      await sim.patch({ enabled: false })
      expect(sim.dispatcher.immediateStarts()).toBeUndefined()
      await sim.patch({ enabled: true })
      for (const failure of [away, () => refused(402)]) {
        expect(sim.dispatcher.immediateStarts()).toBeDefined()
        sim.behaviour.execute = failure
        const [suffix] = await sim.add(1)
        sim.dispatcher.cancel(1 + sim.rows().findIndex((row) => row.suffix === suffix))
        expect(sim.rows().every(({ status }) => status !== 'queued')).toBe(true)
        expect(sim.dispatcher.immediateStarts()).toBeUndefined()
        sim.behaviour.execute = () => endedWith('done')
        await sim.add(1)
        await sim.advance(5 * MINUTE)
        expect(sim.rows().at(-1)!.status).toBe('success')
      }
    }))

  it('counts towards max_runs_per_minute, also in the next incarnation', () =>
    simulate({ maxRunsPerMinute: 3 }, async (sim) => {
      await sim.add(2)
      expect(sim.dispatcher.immediateStarts()).toMatchObject({ max: 1 })
      await sim.restart()
      expect(sim.dispatcher.immediateStarts()).toMatchObject({ max: 1 })
      await sim.add(2)
      expect(sim.statuses()).toEqual(['success', 'success', 'success', 'queued'])
    }))

  it('starts again in the following minute, in the rows of earlier starts', () =>
    simulate({ maxRunsPerMinute: 3 }, async (sim) => {
      const rows = () => sim.storage.sql.exec('SELECT id FROM starts').toArray().length
      for (let n = 0; n < 5; n++) {
        await sim.add(3)
        expect(sim.dispatcher.immediateStarts()).toBeUndefined()
        if (n === 2) await sim.restart()
        await sim.advance(MINUTE)
      }
      expect(sim.statuses()).toEqual(Array(15).fill('success'))
      expect(rows()).toBe(3)
    }))
})

describe('an object that is killed after it stored a run as running', () => {
  it('sends the run once if it had not been sent', () =>
    simulate({}, async (sim) => {
      const starts = sim.dispatcher.immediateStarts()!
      const firing = JSON.stringify({ source: 'webhook', receivedAt: 0, headers: {} })
      const run = {
        suffix: 'stored',
        revision: 1,
        queuedAt: sim.now,
        firing,
        body: new Uint8Array(),
      }
      const started = sim.store.insert([run], starts)
      sim.queued++
      sim.dispatcher.adopt(started, starts.at)
      expect(sim.alarmIn).toBeLessThanOrEqual(LEASE_MS)
      sim.queued--
      await sim.restart()
      await sim.advance(LEASE_MS)
      expect(sim.calls.map(({ suffix }) => suffix)).toEqual(['stored'])
      expect(sim.statuses()).toEqual(['success'])
    }))

  it('requests the outcome of a run that had been sent, instead of sending it again', () =>
    simulate({}, async (sim) => {
      const { promise, resolve } = Promise.withResolvers<ExecuteResponse>()
      sim.behaviour.execute = () => promise
      const [suffix] = await sim.add(1)
      sim.running.add(suffix!)
      await sim.restart()
      resolve(endedWith('lost'))
      sim.behaviour.outcomes = () => never()
      await settled()
      await sim.advance(2 * LEASE_MS)
      expect(sim.calls).toHaveLength(1)
      expect(sim.polls.flat()).toContain(suffix)
      expect(sim.statuses()).toEqual(['running'])
    }))
})
