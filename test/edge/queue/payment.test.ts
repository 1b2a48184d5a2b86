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

/** An account that has credit from some time on. */
function paysFrom(sim: Simulation, time: number) {
  sim.behaviour.execute = () => (sim.now < time ? refused(402) : endedWith('paid'))
}
const looks = (calls: Call[], begin: number) => calls.map((call) => call.at - begin)

describe('without credit', () => {
  it('one run a minute is sent to see, however many wait, and no attempt is used', () =>
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

  it('runs that were under way together are one look', () =>
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

  it('a refusal that comes later, of a run that was sent before, puts the look off no further', () =>
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

  it('the others wait until the one that was sent to see has been answered', () =>
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

  it('a slow run that was begun shows that there is credit, before it ends', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      const [first] = await sim.add(2)
      sim.behaviour.execute = ({ suffix }) =>
        suffix === first ? sim.slow(suffix) : endedWith('paid')
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['running', 'success'])
    }))

  it('a restart neither sends more often nor forgets what is waited for', () =>
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

  it('a key of another account is tried at once', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ key }) => (key === sim.calls[0]!.key ? refused(402) : endedWith(1))
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it('a key of another account is tried at once, also by what was under way when it came', () =>
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
      // Each is carried once: a run that nobody carried would be asked for when its lease ends.
      await sim.advance(MINUTE)
      expect(sim.calls).toHaveLength(4)
      expect(sim.polls).toEqual([])
    }))

  it('of an earlier key, runs in doubt wait alone, and take no start from the others', () =>
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
      // Once a minute each, until the doubt is over.
      expect(sim.calls.length).toBeLessThan(12 + 8 * 3)
    }))

  it('never disables, and never counts as a refused key', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(1)
      await sim.advance(60 * MINUTE)
      expect(sim.calls).toHaveLength(61)
      expect(sim.state.current).toMatchObject({ enabled: true, refusals: 0 })
      expect(sim.rows()[0]).toMatchObject({ status: 'queued', attempt: 0 })
    }))

  it('a purged queue waits for nothing', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(2)
      expect(sim.dispatcher.waitingFor()).toBe('payment')
      sim.dispatcher.purge()
      expect(sim.dispatcher.waitingFor()).toBeNull()
    }))
})

describe('a usage key whose cap is used up', () => {
  it('makes runs wait until there is room again, and uses no attempt', () =>
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

  it('is looked at each minute where nobody says when, and each hour where it is days', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => capped(sim.calls.length < 3 ? undefined : 7 * 86_400)
      await sim.add(1)
      await sim.advance(2 * 60 * MINUTE)
      expect(looks(sim.calls, begin)).toEqual([0, MINUTE, 2 * MINUTE, 62 * MINUTE])
    }))

  it('is not forgotten by a restart, whatever was waited for before', () =>
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

  it('is replaced by another key at once', () =>
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
  it('that is spent makes runs wait as long as the origin says, and uses no attempt', () =>
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

  it('holds up the action that spent it alone: the runs of a mended one pass those that wait', () =>
    simulate({}, async (sim) => {
      fails(sim)
      await sim.add(12)
      const sent = sim.calls.length
      await sim.patch(mended)
      await sim.add(3)
      expect(sim.statuses()).toEqual([...Array(12).fill('queued'), ...Array(3).fill('success')])
      expect(sim.calls).toHaveLength(sent + 3)
      // The others still wait for it.
      expect(sim.dispatcher.waitingFor()).toBe('failed_execution_allowance')
      await sim.advance(60 * MINUTE)
      expect(sim.calls).toHaveLength(sent + 4)
    }))

  it('in strict order holds up those behind it too, until they are cleared away', () =>
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

  it('is not forgotten by a restart, for the action that spent it', () =>
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

  it('that is there again lets all of them go, once one was begun', () =>
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

  it('is another one for another key', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ key }) =>
        key === sim.calls[0]!.key ? allowance(3_600) : endedWith(1)
      await sim.add(2)
      await sim.patch({ sealedUsageKey: random(32) })
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it('says that there is credit: runs of other actions that waited for it go on', () =>
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
