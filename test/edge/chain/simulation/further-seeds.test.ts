import { inject, it } from 'vitest'
import { playSeeds, SEED_TIMEOUT_MS } from './seeds.ts'

const { first, count: all } = inject('simulation')
/** After those of `simulation.test.ts`, beside which this runs. */
const before = Math.ceil(all / 2)
const count = all - before

it.skipIf(count === 0)(
  'in further seeds, too, whatever the chain and its endpoints do, each event makes one run, and marks say which are gone',
  async ({ task }) => {
    await playSeeds({ first: first + before, count }, task.meta)
  },
  count * SEED_TIMEOUT_MS,
)
