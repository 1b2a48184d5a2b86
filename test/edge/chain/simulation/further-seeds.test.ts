import { inject, it } from 'vitest'
import { playSeeds, SEED_TIMEOUT_MS } from './seeds.ts'

const { first, count: all } = inject('simulation')
/** Seeds that `simulation.test.ts` plays, which runs in parallel. */
const before = Math.ceil(all / 2)
const count = all - before

it.skipIf(count === 0)(
  'creates one run per event and marks the reorged ones, whatever the chain and its endpoints do (further seeds)',
  async ({ task }) => {
    await playSeeds({ first: first + before, count }, task.meta)
  },
  count * SEED_TIMEOUT_MS,
)
