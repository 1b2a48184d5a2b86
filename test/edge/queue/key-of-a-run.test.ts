import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../shared/base64url.ts'
import type { ExecuteAnswer } from '../../../shared/wire/sealed.ts'
import { random, success } from '../app.ts'
import {
  away,
  type Call,
  endedWith,
  refused,
  settled,
  simulate,
  type Simulation,
} from './simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** An origin that claims by account and run, as the real one does; each usage key is of an account of its own. */
class Accounts {
  readonly #executed = new Map<string, Set<string>>()
  readonly #sim: Simulation

  constructor(sim: Simulation) {
    this.#sim = sim
    sim.behaviour.outcomes = (suffixes) => ({
      ended: Object.fromEntries(
        suffixes
          .filter((one) => this.#executed.has(one))
          .map((one) => [one, success('known').outcome]),
      ),
      running: [],
      unknown: suffixes.filter((suffix) => !this.#executed.has(suffix)),
    })
  }

  execute({ suffix, key }: Pick<Call, 'suffix' | 'key'>): ExecuteAnswer {
    const keys = this.#executed.get(suffix) ?? new Set()
    this.#executed.set(suffix, keys.add(key))
    return endedWith('executed')
  }

  /** How many accounts have executed each run. */
  get counts(): number[] {
    return this.#sim.rows().map(({ suffix }) => this.#executed.get(suffix)?.size ?? 0)
  }
}

/** The owner gives the trigger a key of another account. @returns it as it is sent */
async function anotherKey(sim: Simulation): Promise<string> {
  const sealed = random(32)
  await sim.patch({ sealedUsageKey: sealed })
  return encodeBase64url(sealed)
}
const storedKeys = (sim: Simulation) =>
  sim.storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM usage_keys').one().n

describe('double execution: a PATCH to another account\u2019s key', () => {
  it('after a broken send that the origin executed: its outcome is taken, nothing is sent again', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = (call) => {
        accounts.execute(call)
        return away()
      }
      await sim.add(1)
      await anotherKey(sim)
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['success'])
      expect(accounts.counts).toEqual([1])
    }))

  it('after a broken send that the origin is about to execute: it is sent again under the same key', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = away
      await sim.add(1)
      const [first] = sim.calls
      await anotherKey(sim)
      // Asked, the origin does not know it; the request arrives only then.
      const known = sim.behaviour.outcomes
      sim.behaviour.outcomes = async (suffixes) => {
        const answer = await known(suffixes)
        if (sim.calls.length === 1) accounts.execute(first!)
        return answer
      }
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.advance(MINUTE)
      expect(sim.calls.map(({ key }) => key)).toEqual([first!.key, first!.key])
      expect(sim.statuses()).toEqual(['success'])
      expect(accounts.counts).toEqual([1])
    }))

  it('a refusal of the second send does not settle the first, which may still arrive', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = away
      await sim.add(1)
      const [first] = sim.calls
      await anotherKey(sim)
      sim.behaviour.execute = () => refused(503)
      await sim.advance(10_000)
      expect(sim.calls.length).toBeGreaterThan(1)
      // Within the minute that a sealed request lives, the first one reaches the origin.
      const known = sim.behaviour.outcomes
      sim.behaviour.outcomes = async (suffixes) => {
        const answer = await known(suffixes)
        accounts.execute(first!)
        return answer
      }
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.advance(MINUTE)
      expect(new Set(sim.calls.map(({ key }) => key))).toEqual(new Set([first!.key]))
      expect(accounts.counts).toEqual([1])
    }))

  it('while an object that was killed had a run under way: the next life asks and sends with its key', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = () => new Promise(() => {})
      await sim.add(1)
      const [first] = sim.calls
      sim.state.change({ sealedUsageKey: random(32) }, sim.now)
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.restart()
      expect(sim.calls.at(-1)!.key).toBe(first!.key)
      expect(accounts.counts).toEqual([1])
    }))

  it('while this side fails after the send: it is asked for, and sent with its key', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = (call) => {
        accounts.execute(call)
        // The next statement looks for more to start.
        sim.failAt(0)
        return { state: 'running' }
      }
      await sim.add(1)
      sim.behaviour.execute = (call) => accounts.execute(call)
      await anotherKey(sim)
      await sim.advance(MINUTE)
      expect(accounts.counts).toEqual([1])
      expect(sim.statuses()).toEqual(['success'])
    }))

  it('after a second send that an object was killed under: the doubt began with that one', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = away
      await sim.add(1)
      const known = sim.behaviour.outcomes
      sim.behaviour.outcomes = away
      await sim.advance(90_000)
      await anotherKey(sim)
      sim.behaviour.outcomes = known
      sim.behaviour.execute = () => new Promise(() => {})
      await sim.advance(3_000)
      expect(sim.calls).toHaveLength(2)
      // By the time that it is asked again, two minutes after the first send, the second has not expired.
      sim.behaviour.outcomes = away
      await sim.restart()
      await sim.advance(30_000)
      sim.behaviour.outcomes = known
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.advance(20_000)
      accounts.execute(sim.calls[1]!)
      expect(sim.calls).toHaveLength(3)
      expect(new Set(sim.calls.map(({ key }) => key)).size).toBe(1)
      expect(accounts.counts).toEqual([1])
    }))

  it('random outages, kills and changes of the key: no run is ever executed under two', () =>
    simulate({ concurrency: 4 }, async (sim) => {
      const accounts = new Accounts(sim)
      const late: Call[] = []
      let seed = 7
      const dice = (sides: number) => (seed = (seed * 48_271) % 2_147_483_647) % sides
      sim.behaviour.execute = async (call) => {
        const turn = dice(6)
        if (turn === 0) late.push(call)
        if (turn === 1) accounts.execute(call)
        if (turn < 3) return away()
        if (turn === 3) return refused([429, 503, 500, 402][dice(4)]!)
        return accounts.execute(call)
      }
      await sim.add(12)
      for (let step = 0; step < 40; step++) {
        const turn = dice(5)
        if (turn === 0) await anotherKey(sim)
        else if (turn === 1) await sim.restart()
        // A request lives a minute.
        for (const call of late.splice(0)) if (call.at > sim.now - MINUTE) accounts.execute(call)
        await sim.advance(dice(60) * 1_000)
      }
      sim.behaviour.execute = (call) => accounts.execute(call)
      await sim.advance(HOUR)
      expect(
        sim.statuses().filter((status) => status === 'queued' || status === 'running'),
      ).toEqual([])
      expect(Math.max(...accounts.counts)).toBe(1)
    }))
})

describe('a run that was not begun, and will not be', () => {
  it.each([402, 429, 500, 503])(
    'because of a %i uses the key that the trigger has then',
    (status) =>
      simulate({}, async (sim) => {
        sim.behaviour.execute = () => refused(status)
        await sim.add(1)
        expect(sim.rows()).toMatchObject([{ usage_key: null }])
        sim.behaviour.execute = () => endedWith(1)
        const key = await anotherKey(sim)
        await sim.advance(2 * MINUTE)
        expect(sim.calls.at(-1)!.key).toBe(key)
        expect(sim.statuses()).toEqual(['success'])
      }),
  )

  it('because the origin does not know it when its request has expired: so does it', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      await sim.add(1)
      sim.behaviour.outcomes = away
      const key = await anotherKey(sim)
      await sim.advance(5 * MINUTE)
      sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
      sim.behaviour.execute = () => endedWith(1)
      await sim.advance(MINUTE)
      expect(sim.calls.map((call) => call.key)).toEqual([sim.calls[0]!.key, key])
    }))

  it('is not asked for before it is sent again', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith(1))
      await sim.add(1)
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['success'])
      expect(sim.polls).toEqual([])
    }))
})

it('a run whose outcome the origin may have forgotten is not sent again', () =>
  simulate({}, async (sim) => {
    const accounts = new Accounts(sim)
    sim.behaviour.execute = (call) => {
      accounts.execute(call)
      return away()
    }
    await sim.add(1)
    sim.state.change({ enabled: false }, sim.now)
    await sim.advance(25 * HOUR)
    sim.behaviour.execute = (call) => accounts.execute(call)
    sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
    await sim.patch({ enabled: true })
    expect(sim.calls).toHaveLength(1)
    expect(sim.statuses()).toEqual(['failed'])
    expect(sim.result().error).toMatch(/^outcome_lost: .*may have run; it was not run again/)
  }))

describe('sealed keys that nobody needs any more', () => {
  it('are deleted, and those of runs in doubt only when their runs have ended', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(1)
      await anotherKey(sim)
      await anotherKey(sim)
      expect(storedKeys(sim)).toBe(2)
      sim.behaviour.outcomes = (suffixes) => ({
        ended: Object.fromEntries(suffixes.map((suffix) => [suffix, success(1).outcome])),
        running: [],
        unknown: [],
      })
      await sim.advance(MINUTE)
      await settled()
      expect(sim.statuses()).toEqual(['success'])
      expect(storedKeys(sim)).toBe(1)
    }))

  it('a run that is cancelled keeps none', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(1)
      await anotherKey(sim)
      sim.dispatcher.purge()
      sim.dispatcher.tend()
      expect(storedKeys(sim)).toBe(1)
    }))
})
