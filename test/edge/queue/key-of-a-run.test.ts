import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
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

/** An origin that claims runs per account, as the real one does. Each usage key belongs to a different account. */
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

  execute({ suffix, key }: Pick<Call, 'suffix' | 'key'>): ExecuteResponse {
    const keys = this.#executed.get(suffix) ?? new Set()
    this.#executed.set(suffix, keys.add(key))
    return endedWith('executed')
  }

  /** The number of accounts that executed each run. */
  get counts(): number[] {
    return this.#sim.rows().map(({ suffix }) => this.#executed.get(suffix)?.size ?? 0)
  }
}

/** Changes the trigger's key to one of another account. @returns the key in the form in which it is sent */
async function anotherKey(sim: Simulation): Promise<string> {
  const sealed = random(32)
  await sim.patch({ sealedUsageKey: sealed })
  return encodeBase64url(sealed)
}
const storedKeys = (sim: Simulation) =>
  sim.storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM usage_keys').one().n

describe('double execution: a PATCH to a key of another account', () => {
  it('after a broken send that the origin executed: keeps its outcome and sends nothing again', () =>
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

  it('after a broken send that the origin will execute: sends it again with the same key', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = away
      await sim.add(1)
      const [first] = sim.calls
      await anotherKey(sim)
      // The poll still returns unknown; the request arrives only afterwards.
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

  it('after a rejected second send: the first send stays in doubt, because it may still arrive', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = away
      await sim.add(1)
      const [first] = sim.calls
      await anotherKey(sim)
      sim.behaviour.execute = () => refused(503)
      await sim.advance(10_000)
      expect(sim.calls.length).toBeGreaterThan(1)
      // The first request reaches the origin within the minute for which a sealed request is valid.
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

  it('during a run of a killed object: the next incarnation polls and sends with its key', () =>
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

  it('while this side fails after the send: polls for the run, and sends it with its key', () =>
    simulate({}, async (sim) => {
      const accounts = new Accounts(sim)
      sim.behaviour.execute = (call) => {
        accounts.execute(call)
        // The next statement looks for more runs to start.
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

  it('after an eviction during a second send: the run is in doubt since that send', () =>
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
      // At the next poll, two minutes after the first send, the second has not expired.
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

  it('during random outages and kills: no run is ever executed with two keys', () =>
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
        // A request is valid for one minute.
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

describe('a run that definitely never started', () => {
  it.each([402, 429, 500, 503])('because of a %i uses the current key of the trigger', (status) =>
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

  it('because the origin does not know it after its request expired uses the current key', () =>
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

  it('is sent again without polling for it', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith(1))
      await sim.add(1)
      await sim.advance(MINUTE)
      expect(sim.statuses()).toEqual(['success'])
      expect(sim.polls).toEqual([])
    }))
})

it('a run with an outcome that the origin may have deleted is not sent again', () =>
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
    expect(sim.result().error).toMatch(/^outcome_lost: .*may have run; it was not retried/)
  }))

describe('unused sealed keys', () => {
  it('are deleted; those of runs in doubt only after the runs finished', () =>
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

  it('of cancelled runs are deleted', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(1)
      await anotherKey(sim)
      sim.dispatcher.purge()
      sim.dispatcher.runDue()
      expect(storedKeys(sim)).toBe(1)
    }))
})
