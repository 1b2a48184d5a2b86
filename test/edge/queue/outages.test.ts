import { describe, expect, it } from 'vitest'
import { LEASE_MS } from '../../../edge/queue/live-runs.ts'
import { success } from '../app.ts'
import { away, endedWith, never, refused, settled, simulate } from './simulation.ts'

const outcome = success('slow').outcome

describe('an origin that does not respond', () => {
  it('is probed by one run at a time with growing backoff, without using attempts', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      const asked: number[] = []
      sim.behaviour.outcomes = (suffixes) => {
        expect(suffixes).toHaveLength(1)
        asked.push(sim.now)
        return away()
      }
      await sim.add(3)
      await sim.advance(10 * 60_000)
      const gaps = asked.slice(1).map((at, i) => at - asked[i]!)
      expect(gaps.slice(0, 3)).toEqual([750, 1_500, 3_000])
      expect(gaps.at(-1)).toBe(45_000)
      expect(sim.rows().map((row) => row.attempt)).toEqual([0, 0, 0])
      expect(sim.statuses()).toEqual(['queued', 'queued', 'queued'])
    }))

  it('counts eight simultaneous failures as one, and recovers within half a second', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      await sim.add(8)
      sim.behaviour.execute = () => endedWith('back')
      await sim.advance(500)
      expect(sim.statuses()).toEqual(Array(8).fill('success'))
    }))

  it('recovers for other runs while a slow run is in flight', () =>
    simulate({}, async (sim) => {
      await sim.addSlow()
      sim.behaviour.execute = () => refused(503)
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('back')
      await sim.advance(500)
      expect(sim.statuses()).toEqual(['running', 'success'])
    }))

  it('recovers with a slow run, and others start before that run finishes', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      const [first] = await sim.add(3)
      sim.behaviour.execute = ({ suffix }) =>
        suffix === first ? sim.slow(suffix) : endedWith('back')
      await sim.advance(500)
      expect(sim.statuses()).toEqual(['running', 'success', 'success'])
    }))

  it('recovers with the first poll for a slow run with a lost response', () =>
    simulate({}, async (sim) => {
      let answer = () => {}
      sim.behaviour.execute = away
      const [first] = await sim.add(2)
      sim.behaviour.execute = () => endedWith('back')
      sim.behaviour.outcomes = (running) =>
        running.length > 1 || running[0] !== first
          ? { ended: {}, running: [first!], unknown: running.filter((id) => id !== first) }
          : new Promise((resolve) => (answer = () => resolve({ ended: {}, running, unknown: [] })))
      await sim.advance(500)
      expect(sim.statuses()).toEqual(['running', 'queued'])
      answer()
      await settled()
      await sim.advance(500)
      expect(sim.statuses()).toEqual(['running', 'success'])
    }))

  it('is probed again after a second outage during a slow run', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      await sim.add(1)
      sim.behaviour.execute = ({ suffix }) => sim.slow(suffix)
      await sim.advance(500)
      expect(sim.statuses()).toEqual(['running'])
      sim.behaviour.execute = () => refused(503)
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('back')
      await sim.advance(1_000)
      expect(sim.statuses()).toEqual(['running', 'success'])
    }))

  it('is polled for a lost outcome before anything is sent again', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      const [suffix] = await sim.add(1)
      sim.behaviour.outcomes = () => ({ ended: { [suffix!]: outcome }, running: [], unknown: [] })
      await sim.advance(500)
      expect(sim.calls).toHaveLength(1)
      expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 1 }])
    }))

  it('that released a claim gets the run again as the same attempt', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => ({ state: 'running' })
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('now')
      await sim.advance(1_000)
      expect(sim.calls.map((call) => call.attempt)).toEqual([1, 1])
      expect(sim.statuses()).toEqual(['success'])
    }))
})

describe('an object that is killed during a run', () => {
  it('polls for the outcome in its next incarnation, and resends nothing', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      const [suffix] = await sim.add(1)
      sim.behaviour.outcomes = () => ({ ended: { [suffix!]: outcome }, running: [], unknown: [] })
      await sim.restart()
      expect(sim.calls).toHaveLength(1)
      expect(sim.polls).toEqual([[suffix]])
      expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 1 }])
    }))

  it('sends a run that the origin never received, once', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('once')
      await sim.restart()
      expect(sim.calls.map((call) => call.attempt)).toEqual([1, 1])
      expect(sim.statuses()).toEqual(['success'])
    }))

  it('ignores a late response to a previous incarnation', () =>
    simulate({}, async (sim) => {
      let answer!: (late: ReturnType<typeof endedWith>) => void
      sim.behaviour.execute = () => new Promise((resolve) => (answer = resolve))
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('first')
      await sim.restart()
      answer(endedWith('late'))
      await settled()
      expect(sim.result()).toMatchObject({ response: 'first' })
    }))

  it('keeps renewing the leases of runs in flight', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      await sim.add(1)
      await sim.advance(10 * LEASE_MS)
      expect(sim.calls).toHaveLength(1)
      expect(sim.polls).toEqual([])
    }))
})

describe('failing storage', () => {
  it('while storing an outcome: polls for the run after its lease, and stores one result', () =>
    simulate({}, async (sim) => {
      let answer!: (outcome: ReturnType<typeof endedWith>) => void
      sim.behaviour.execute = () => new Promise((resolve) => (answer = resolve))
      const [suffix] = await sim.add(1)
      sim.behaviour.outcomes = () => ({ ended: { [suffix!]: outcome }, running: [], unknown: [] })
      sim.storage.sql.exec('ALTER TABLE runs RENAME TO away')
      answer(endedWith('lost'))
      await settled()
      sim.storage.sql.exec('ALTER TABLE away RENAME TO runs')
      await sim.advance(LEASE_MS)
      expect(sim.calls).toHaveLength(1)
      expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 1 }])
    }))

  it('at the first pass of a new incarnation: the next pass resumes the run in flight', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = never
      await sim.add(1)
      sim.behaviour.execute = () => endedWith('done')
      sim.storage.sql.exec('ALTER TABLE runs RENAME TO away')
      await expect(sim.restart()).rejects.toThrow()
      sim.storage.sql.exec('ALTER TABLE away RENAME TO runs')
      sim.dispatcher.pump()
      await settled()
      expect(sim.statuses()).toEqual(['success'])
    }))
})

it('poison run: a run that always breaks its connection uses up its attempts without delaying others', () =>
  simulate({ concurrency: 2 }, async (sim) => {
    sim.behaviour.execute = ({ suffix }) =>
      suffix === sim.rows()[0]!.suffix ? away() : endedWith('well')
    await sim.add(3)
    await sim.advance(2_000)
    expect(sim.rows()).toMatchObject([
      { status: 'queued', attempt: 1 },
      { status: 'success' },
      { status: 'success' },
    ])
    await sim.advance(20 * 60_000)
    expect(sim.rows()[0]).toMatchObject({ status: 'failed', attempt: 4 })
  }))

describe('a run that cannot be sent', () => {
  it('uses up its attempts and fails, without delaying others', () =>
    simulate({}, async (sim) => {
      const [suffix] = await sim.add(1)
      expect(sim.statuses()).toEqual(['success'])
      sim.storage.sql.exec("UPDATE runs SET status = 'queued', attempt = 0, firing = 'broken'")
      await sim.add(2)
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
      sim.storage.sql.exec('DELETE FROM results')
      await sim.advance(20 * 60_000)
      expect(sim.rows()[0]).toMatchObject({ suffix, status: 'failed', attempt: 4 })
    }))
})
