import { describe, expect, it } from 'vitest'
import { LEASE_MS } from '../../../edge/queue/live-runs.ts'
import { away, endedWith, never, simulate, type Simulation } from './simulation.ts'

const MINUTE = 60_000

/** An origin whose database is restored to a time at which none of its runs was claimed. */
function losesItsClaims(sim: Simulation) {
  sim.behaviour.execute = () => endedWith('again')
  sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
}

describe('after a restore of the origin’s database', () => {
  it.each([
    ['whose connection broke', away],
    ['that the origin reported as running', undefined],
  ])('a run %s is not executed again', (_, execute) =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = execute ?? (({ suffix }) => sim.slow(suffix))
      sim.behaviour.outcomes = away
      await sim.add(1)
      await sim.advance(MINUTE)
      const sent = sim.calls.length
      sim.claimsRestoredAt = sim.now + MINUTE
      losesItsClaims(sim)
      await sim.advance(5 * MINUTE)
      expect(sim.calls).toHaveLength(sent)
      expect(sim.statuses()).toEqual(['failed'])
      expect(sim.result().error).toContain('origin_lost: The origin’s database was restored')
    }),
  )

  it('double execution: a run is not sent again if the object was killed shortly before the restore', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => never()
      await sim.add(1)
      sim.claimsRestoredAt = sim.now + 5_000
      losesItsClaims(sim)
      sim.setClock(LEASE_MS - 1_000)
      await sim.restart()
      expect(sim.calls).toHaveLength(1)
      expect(sim.result().error).toContain('origin_lost: The origin’s database was restored')
    }))

  it('a run that was queued or sent afterwards is executed', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(2)
      sim.claimsRestoredAt = sim.now + 1
      await sim.advance(1)
      losesItsClaims(sim)
      await sim.advance(2 * MINUTE)
      expect(sim.statuses()).toEqual(['failed', 'success'])
      sim.behaviour.execute = away
      await sim.add(1)
      losesItsClaims(sim)
      await sim.advance(2 * MINUTE)
      expect(sim.statuses()).toEqual(['failed', 'success', 'success'])
    }))

  it('a run with on_lost: "retry" is sent again', () =>
    simulate({ options: JSON.stringify({ on_lost: 'retry' }) }, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(1)
      sim.claimsRestoredAt = sim.now + MINUTE
      losesItsClaims(sim)
      await sim.advance(2 * MINUTE)
      expect(sim.statuses()).toEqual(['success'])
    }))
})
