import { describe, expect, it } from 'vitest'
import { away, endedWith, never, refused, settled, simulate } from './simulation.ts'

const suffixes = (runs: { suffix: string }[]) => runs.map(({ suffix }) => suffix)

describe('cancelling a run', () => {
  it('in the queue ends it as failed, with a note that the action was not run', () =>
    simulate({ enabled: false }, async (sim) => {
      await sim.add(2)
      expect(sim.dispatcher.cancel(2)).toBe(true)
      expect(sim.statuses()).toEqual(['queued', 'failed'])
      expect(sim.result()).toEqual({
        response: null,
        error: 'cancelled: The run was cancelled while it was queued; the action was not run.',
        logs: [],
        charged_cents: 0,
      })
      expect(sim.queued).toBe(1)
      expect(sim.ended).toMatchObject([{ sequence: 2, status: 'failed', finishedAt: sim.now }])
      expect(sim.dispatcher.cancel(2)).toBe(false)
    }))

  it('that waits for a retry prevents the retry', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(500)
      await sim.add(1)
      expect(sim.dispatcher.cancel(1)).toBe(true)
      await sim.advance(3_600_000)
      expect(sim.calls).toHaveLength(1)
      expect(sim.result().error).toMatch(/the action was not run/)
      expect(sim.rows()).toMatchObject([{ attempt: 1, next_attempt_at: null }])
    }))

  it('that blocks others in strict order lets the next one start at once', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(500) : endedWith('done')
      await sim.add(2)
      // Its third retry is ten minutes away, and nothing else wakes the object earlier.
      await sim.advance(100_000)
      sim.dispatcher.cancel(1)
      await sim.advance(0)
      expect(sim.statuses()).toEqual(['failed', 'success'])
    }))

  it('after its connection broke notes that it may have run', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      await sim.add(1)
      sim.dispatcher.cancel(1)
      await sim.advance(3_600_000)
      expect(sim.calls).toHaveLength(1)
      expect(sim.result().error).toMatch(/^cancelled: .*may have run/)
    }))

  it('that is already running does nothing', () =>
    simulate({}, async (sim) => {
      let answer = () => {}
      sim.behaviour.execute = () =>
        new Promise((resolve) => (answer = () => resolve(endedWith('done'))))
      await sim.add(1)
      expect(sim.dispatcher.cancel(1)).toBe(false)
      answer()
      await settled()
      expect(sim.statuses()).toEqual(['success'])
      expect(sim.dispatcher.cancel(1)).toBe(false)
      expect(sim.dispatcher.cancel(99)).toBe(false)
    }))
})

describe('purging a queue', () => {
  it('cancels all queued runs, and no running ones', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      sim.behaviour.execute = never
      const all = await sim.add(6)
      expect(sim.dispatcher.purge()).toBe(4)
      const statuses = ['running', 'running', 'failed', 'failed', 'failed', 'failed']
      expect(sim.statuses()).toEqual(statuses)
      expect(sim.queued).toBe(0)
      expect(suffixes(sim.ended)).toEqual(all.slice(2))
      expect(sim.results().every(({ error }) => error?.startsWith('cancelled: '))).toBe(true)
      expect(sim.dispatcher.purge()).toBe(0)
    }))

  it('distinguishes runs that may have run from the others', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = away
      await sim.add(2)
      sim.dispatcher.purge()
      const mayHave = sim.results().map(({ error }) => /may have run/.test(error!))
      expect(mayHave).toEqual([true, false])
    }))

  it('of ten thousand runs takes well under a second', () =>
    simulate({ enabled: false }, async (sim) => {
      await sim.add(10_000)
      const began = performance.now()
      expect(sim.dispatcher.purge()).toBe(10_000)
      // The clock of a Durable Object is frozen during computation and advances with the next turn.
      await settled()
      const ms = performance.now() - began
      expect(ms).toBeLessThan(2_000)
      expect(sim.queued).toBe(0)
      expect(sim.ended).toHaveLength(10_000)
    }))
})
