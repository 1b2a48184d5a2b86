import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../shared/wire/outcome.ts'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { random, success } from '../app.ts'
import { away, type Call, simulate, type Simulation } from './simulation.ts'

const options = JSON.stringify({ on_lost: 'retry' })
const lost: Outcome = {
  ...success().outcome,
  status: 'failed',
  code: 'origin_lost',
  message: 'The machine went away.',
  stack: '',
}

/** An origin that loses the first runs that it executes, and executes a lost run again only for a later attempt. */
function losing(sim: Simulation, times: number) {
  const claims = new Map<string, { attempt: number; outcome: Outcome }>()
  const executed: Call[] = []
  const execute = (call: Call): ExecuteResponse => {
    const claim = claims.get(call.suffix)
    const again = claim?.outcome === lost && call.retryLost && call.attempt > claim.attempt
    if (claim && !again) return { state: 'ended', outcome: claim.outcome }
    executed.push(call)
    const outcome = executed.length <= times ? lost : success('in the end').outcome
    claims.set(call.suffix, { attempt: call.attempt, outcome })
    return { state: 'ended', outcome }
  }
  sim.behaviour.execute = execute
  sim.behaviour.outcomes = (suffixes) => ({
    ended: Object.fromEntries(
      suffixes.flatMap((suffix) => {
        const claim = claims.get(suffix)
        return claim ? [[suffix, claim.outcome]] : []
      }),
    ),
    running: [],
    unknown: suffixes.filter((suffix) => !claims.has(suffix)),
  })
  return { executed, execute }
}

describe('a run that the origin lost', () => {
  it('fails without a retry by default', () =>
    simulate({}, async (sim) => {
      const { executed } = losing(sim, 1)
      await sim.add(1)
      await sim.advance(3_600_000)
      expect(executed).toHaveLength(1)
      expect(sim.calls[0]!.retryLost).toBe(false)
      expect(sim.rows()).toMatchObject([{ status: 'failed', attempt: 1 }])
      expect(sim.result().error).toBe('origin_lost: The machine went away.')
    }))

  it('is retried with the usual backoff if its trigger allows it', () =>
    simulate({ options }, async (sim) => {
      const { executed } = losing(sim, 2)
      const begin = sim.now
      await sim.add(1)
      await sim.advance(3_600_000)
      expect(executed.map(({ attempt, at }) => [attempt, at - begin])).toEqual([
        [1, 0],
        [2, 5_000],
        [3, 65_000],
      ])
      expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 3 }])
    }))

  it('four times fails, with a note that it may have run several times', () =>
    simulate({ options }, async (sim) => {
      const { executed } = losing(sim, 9)
      await sim.add(1)
      await sim.advance(3_600_000)
      expect(executed).toHaveLength(4)
      expect(sim.result().error).toMatch(/^origin_lost: .*may have run several times/)
    }))

  it('is polled if the response to its retry is lost, and not run a third time', () =>
    simulate({ options }, async (sim) => {
      const { executed, execute } = losing(sim, 1)
      await sim.add(1)
      sim.behaviour.execute = (call) => {
        execute(call)
        return away()
      }
      await sim.advance(120_000)
      expect(executed).toHaveLength(2)
      expect(sim.calls).toHaveLength(2)
      expect(sim.statuses()).toEqual(['success'])
    }))

  it('is sent again if its retry never arrived', () =>
    simulate({ options }, async (sim) => {
      const { executed, execute } = losing(sim, 1)
      await sim.add(1)
      sim.behaviour.execute = away
      await sim.advance(5_000)
      sim.behaviour.execute = execute
      await sim.advance(60_000)
      expect(executed.map(({ attempt }) => attempt)).toEqual([1, 3])
      expect(sim.rows()).toMatchObject([{ status: 'success' }])
    }))

  it('double execution: is never retried with a key of another account', () =>
    simulate({ options }, async (sim) => {
      const { executed } = losing(sim, 2)
      await sim.add(1)
      await sim.patch({ sealedUsageKey: random(32) })
      await sim.advance(3_600_000)
      expect(executed).toHaveLength(3)
      expect(new Set(executed.map(({ key }) => key)).size).toBe(1)
    }))

  it('fails if its trigger no longer allows a retry', () =>
    simulate({ options }, async (sim) => {
      const { executed } = losing(sim, 1)
      await sim.add(1)
      await sim.patch({ options: { on_lost: 'fail' } })
      await sim.advance(60_000)
      expect(executed).toHaveLength(1)
      expect(sim.statuses()).toEqual(['failed'])
    }))
})
