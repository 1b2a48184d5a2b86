import { describe, expect, it } from 'vitest'
import { withFreshDatabase } from './database.ts'
import { SABOTAGE } from './sabotage.ts'
import { KEPT_SEEDS, playSeeds } from './seeds.ts'
import { simulate } from './simulate.ts'
import { Violation } from './trace.ts'

const SEEDS = 200
const COMMAND =
  'npx vitest run --config test/vitest.config.ts --project origin test/origin/credits/simulation -t "whatever fails"'

it('whatever fails and whoever dies: nothing is charged twice, lost or overdrawn', async () => {
  await playSeeds({ first: 1, count: SEEDS, command: COMMAND })
}, 600_000)

describe('seeds that have failed before', () => {
  it.each(KEPT_SEEDS)('passes seed $seed: $cause', async ({ seed }) => {
    const { violation } = await withFreshDatabase((connection) => simulate(connection, seed))
    expect(violation).toBeUndefined()
  })
})

describe('the simulation itself', () => {
  it('plays a seed twice in the same way', async () => {
    await withFreshDatabase(async (connection) => {
      for (const seed of [3, 7, 29]) {
        const first = await simulate(connection, seed)
        const second = await simulate(connection, seed)
        expect(second.trace.hash).toBe(first.trace.hash)
        expect(first.trace.lines.length).toBeGreaterThan(10)
      }
    })
  })

  it.each(Object.entries(SABOTAGE))(
    'finds within its seeds that %s',
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
