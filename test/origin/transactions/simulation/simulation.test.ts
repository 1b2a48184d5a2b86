import { describe, expect, it } from 'vitest'
import { boundsOr } from '../../../nightly/bounds.ts'
import { withFreshDatabase } from '../../credits/simulation/database.ts'
import { Violation } from '../../credits/simulation/trace.ts'
import { SABOTAGE } from './sabotage.ts'
import { KEPT_SEEDS, playSeeds } from './seeds.ts'
import { simulate } from './simulate.ts'

const SEEDS = 100
const BOUNDS = boundsOr({ first: 1, count: SEEDS })

/** Far more than a seed takes, even on a busy machine. */
const SEED_TIMEOUT_MS = 30_000

it(
  'whatever fails and whoever dies: each transaction has one effect at most, and comes to an end',
  async ({ task }) => {
    await playSeeds(BOUNDS, task.meta)
  },
  BOUNDS.count * SEED_TIMEOUT_MS,
)

describe.runIf(KEPT_SEEDS.length > 0)('seeds that have failed before', () => {
  it.each(KEPT_SEEDS)('passes seed $seed: $cause', async ({ seed }) => {
    const { violation } = await withFreshDatabase((connection) => simulate(connection, seed))
    expect(violation).toBeUndefined()
  })
})

describe('the simulation itself', () => {
  it('replays a seed identically', async () => {
    await withFreshDatabase(async (connection) => {
      for (const seed of [3, 7, 29]) {
        const first = await simulate(connection, seed)
        const second = await simulate(connection, seed)
        expect(second.trace.lines).toEqual(first.trace.lines)
        expect(first.trace.lines.length).toBeGreaterThan(10)
      }
    })
  })

  it.each(Object.entries(SABOTAGE))(
    'finds the defect that %s',
    async (_, { from, change }) => {
      let found: Error | undefined
      await withFreshDatabase(async (connection) => {
        for (let seed = from; found === undefined && seed < from + SEEDS; seed++)
          found = (await simulate(connection, seed, change)).violation
      })
      expect(found).toBeInstanceOf(Violation)
    },
    600_000,
  )
})
