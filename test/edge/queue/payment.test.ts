import { describe, expect, it } from 'vitest'
import { random } from '../app.ts'
import {
  away,
  type Call,
  endedWith,
  never,
  refused,
  settled,
  simulate,
  type Simulation,
} from './simulation.ts'

const MINUTE = 60_000
const allowance = (retryAfter: number) => refused(429, retryAfter, 'failed_execution_allowance')
const capped = (retryAfter?: number) => refused(402, retryAfter, 'spend_cap_reached')

/** Gives the account credit from this time on. */
function paysFrom(sim: Simulation, time: number) {
  sim.behaviour.execute = () => (sim.now < time ? refused(402) : endedWith('paid'))
}
const looks = (calls: Call[], begin: number) => calls.map((call) => call.at - begin)

describe('without credit', () => {
  it('probes with one run a minute, without using an attempt', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      paysFrom(sim, begin + 2.5 * MINUTE)
      const suffixes = await sim.add(5)
      await sim.advance(2 * MINUTE)
      expect(looks(sim.calls, begin)).toEqual([0, MINUTE, 2 * MINUTE])
      expect(sim.calls.every(({ suffix }) => suffix === suffixes[0])).toBe(true)
      expect(sim.rows()[0]).toMatchObject({
        status: 'queued',
        attempt: 0,
        waiting_for: 'payment',
        next_attempt_at: begin + 3 * MINUTE,
      })
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(Array(5).fill('success'))
      expect(sim.calls.slice(3).map(({ suffix }) => suffix)).toEqual(suffixes)
      expect(sim.rows()[0]).toMatchObject({ attempt: 1, waiting_for: null })
    }))

  it('treats simultaneous rejections as one probe', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      paysFrom(sim, begin + 90_000)
      const suffixes = await sim.add(12)
      const first = sim.calls.length
      expect(first).toBeLessThanOrEqual(8)
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(first + 1)
      expect(sim.calls.at(-1)).toMatchObject({ suffix: suffixes[0], at: begin + MINUTE })
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(Array(12).fill('success'))
      expect(sim.calls.slice(first + 1).map(({ suffix }) => suffix)).toEqual(suffixes)
    }))

  it('does not delay the probe after a late rejection of an earlier run', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      const begin = sim.now
      let refuse = () => {}
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix
          ? refused(402)
          : new Promise((resolve) => (refuse = () => resolve(refused(402))))
      await sim.add(2)
      await sim.advance(30_000)
      refuse()
      await settled()
      await sim.advance(30_000)
      expect(sim.calls.at(-1)!.at - begin).toBe(MINUTE)
    }))

  it('lets other runs wait until the probe is answered', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(3)
      const asked = sim.calls.length
      let answer = () => {}
      sim.behaviour.execute = () => new Promise((resolve) => (answer = () => resolve(endedWith(1))))
      await sim.advance(MINUTE)
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(asked + 1)
      sim.behaviour.execute = () => endedWith(2)
      answer()
      await settled()
      expect(sim.statuses()).toEqual(['success', 'success', 'success'])
    }))

  it('resumes as soon as a slow probe has started', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      const [first] = await sim.add(2)
      sim.behaviour.execute = ({ suffix }) =>
        suffix === first ? sim.slow(suffix) : endedWith('paid')
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['running', 'success'])
    }))

  it('neither probes more often nor forgets the reason for waiting after a restart', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      paysFrom(sim, begin + 3 * MINUTE)
      await sim.add(1)
      await sim.add(2)
      for (let i = 0; i < 8; i++) {
        await sim.advance(20_000)
        await sim.restart()
        expect(sim.dispatcher.waitingFor()).toBe('payment')
      }
      expect(looks(sim.calls, begin)).toEqual([0, MINUTE, 2 * MINUTE])
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['success', 'success', 'success'])
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))

  it('tries a key of another account immediately', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ key }) => (key === sim.calls[0]!.key ? refused(402) : endedWith(1))
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it('tries a key of another account immediately for runs in flight as well', () =>
    simulate({}, async (sim) => {
      const answers: (() => void)[] = []
      sim.behaviour.execute = () =>
        new Promise((resolve) => answers.push(() => resolve(refused(402))))
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      sim.behaviour.execute = never
      for (const answer of answers) answer()
      await settled()
      expect(sim.dispatcher.waitingFor()).toBeNull()
      // Each run is in flight once: an abandoned run would be polled when its lease expires.
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(4)
      expect(sim.polls).toEqual([])
    }))

  it('lets runs in doubt with an earlier key wait alone, without using starts of the others', () =>
    simulate({ maxRunsPerMinute: 20 }, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(8)
      const { key: earlier } = sim.calls[0]!
      await sim.patch({ sealedUsageKey: random(32) })
      sim.behaviour.outcomes = (unknown) => ({ ended: {}, running: [], unknown })
      sim.behaviour.execute = ({ key }) => (key === earlier ? refused(402) : endedWith(1))
      await sim.advance(MINUTE)
      sim.calls.length = 0
      await sim.add(4)
      await sim.advance(1_000)
      expect(sim.statuses().slice(8)).toEqual(Array(4).fill('success'))
      await sim.advance(4 * MINUTE)
      expect(sim.statuses()).toEqual(Array(12).fill('success'))
      // Once a minute each, until they are no longer in doubt.
      expect(sim.calls.length).toBeLessThan(12 + 8 * 3)
    }))

  it('never disables the trigger or counts as a rejected key', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(1)
      await sim.advance(60 * MINUTE)
      expect(sim.calls).toHaveLength(61)
      expect(sim.state.current).toMatchObject({ enabled: true, refusals: 0 })
      expect(sim.rows()[0]).toMatchObject({ status: 'queued', attempt: 0 })
    }))

  it('does not wait after the queue is purged', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(2)
      expect(sim.dispatcher.waitingFor()).toBe('payment')
      sim.dispatcher.purge()
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))
})

describe('a usage key with an exhausted cap', () => {
  it('makes runs wait until there is room again, without using an attempt', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.now < begin + 8 * MINUTE ? capped(480) : endedWith(1))
      await sim.add(2)
      expect(sim.dispatcher.waitingFor()).toBe('spend_cap')
      expect(sim.rows()[0]).toMatchObject({
        status: 'queued',
        attempt: 0,
        waiting_for: 'spend_cap',
      })
      await sim.advance(10 * MINUTE)
      expect(looks(sim.calls, begin)).toEqual([0, 8 * MINUTE, 8 * MINUTE])
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it('is probed every minute without a Retry-After, and at least every hour with a long one', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => capped(sim.calls.length < 3 ? undefined : 7 * 86_400)
      await sim.add(1)
      await sim.advance(2 * 60 * MINUTE)
      expect(looks(sim.calls, begin)).toEqual([0, MINUTE, 2 * MINUTE, 62 * MINUTE])
    }))

  it('is remembered across a restart, whatever runs waited for before', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.now === begin ? refused(402) : capped(600))
      await sim.add(2)
      await sim.advance(MINUTE)
      await sim.restart()
      expect(sim.dispatcher.waitingFor()).toBe('spend_cap')
      const known = sim.calls.length
      await sim.advance(9 * MINUTE)
      expect(sim.calls).toHaveLength(known)
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(known + 1)
    }))

  it('can be replaced by another key immediately', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ key }) =>
        key === sim.calls[0]!.key ? capped(3_600) : endedWith(1)
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      expect(sim.statuses()).toEqual(['success', 'success'])
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))
})

describe('the allowance for failed runs', () => {
  it('when exhausted makes runs wait for Retry-After, without using an attempt', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.now < begin + 8 * MINUTE ? allowance(480) : endedWith(1))
      await sim.add(2)
      const waiting_for = 'failed_execution_allowance'
      expect(sim.rows()[0]).toMatchObject({ status: 'queued', attempt: 0, waiting_for })
      expect(sim.dispatcher.waitingFor()).toBe(waiting_for)
      await sim.advance(10 * MINUTE)
      expect(looks(sim.calls, begin)).toEqual([0, 8 * MINUTE, 8 * MINUTE])
      expect(sim.statuses()).toEqual(['success', 'success'])
      expect(sim.state.current?.originAwaySince).toBeNull()
    }))

  const fails = (sim: Simulation) => {
    sim.behaviour.execute = ({ code }) => (code === 'mended' ? endedWith(1) : allowance(3_600))
  }
  const mended = { actionCode: 'mended', actionCid: 'mended' }

  it('holds back only the action that exhausted it; runs of a fixed action overtake', () =>
    simulate({}, async (sim) => {
      fails(sim)
      await sim.add(12)
      const sent = sim.calls.length
      await sim.patch(mended)
      await sim.add(3)
      expect(sim.statuses()).toEqual([...Array(12).fill('queued'), ...Array(3).fill('success')])
      expect(sim.calls).toHaveLength(sent + 3)
      // The other runs still wait for the allowance.
      expect(sim.dispatcher.waitingFor()).toBe('failed_execution_allowance')
      await sim.advance(60 * MINUTE)
      expect(sim.calls).toHaveLength(sent + 4)
    }))

  it('holds back later runs too in strict order, until the waiting ones are cancelled', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      fails(sim)
      const [first] = await sim.add(1)
      await sim.patch(mended)
      await sim.add(1)
      expect(sim.statuses()).toEqual(['queued', 'queued'])
      expect(sim.calls.map(({ suffix }) => suffix)).toEqual([first])
      sim.dispatcher.cancel(1)
      await sim.advance(1_000)
      expect(sim.statuses()).toEqual(['failed', 'success'])
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))

  it('is remembered across a restart for the action that exhausted it', () =>
    simulate({}, async (sim) => {
      fails(sim)
      await sim.add(12)
      await sim.patch(mended)
      const sent = sim.calls.length
      await sim.restart()
      await sim.add(1)
      await sim.advance(59 * MINUTE)
      expect(sim.calls.slice(sent).map(({ code }) => code)).toEqual(['mended'])
      expect(sim.dispatcher.waitingFor()).toBe('failed_execution_allowance')
    }))

  it('releases all runs once it is available and one has started', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.now < begin + 2 * MINUTE ? allowance(120) : endedWith(1))
      await sim.add(12)
      const sent = sim.calls.length
      await sim.advance(2 * MINUTE)
      expect(sim.statuses()).toEqual(Array(12).fill('success'))
      expect(sim.calls).toHaveLength(sent + 12)
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))

  it('is separate for another key', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ key }) =>
        key === sim.calls[0]!.key ? allowance(3_600) : endedWith(1)
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it('implies credit, so runs of other actions that waited for credit continue', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(2)
      await sim.patch(mended)
      await sim.add(2)
      fails(sim)
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['queued', 'queued', 'success', 'success'])
      expect(sim.dispatcher.waitingFor()).toBe('failed_execution_allowance')
    }))
})
