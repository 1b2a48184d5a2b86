import { inject, it } from 'vitest'
import { playSeeds, SEED_TIMEOUT_MS } from './seeds.ts'

const { first, count: all } = inject('simulation')
/** The others are `further-seeds.test.ts`'s, which runs beside this. */
const count = Math.ceil(all / 2)

it(
  'whatever the chain and its endpoints do, each event makes one run, and marks say which are gone',
  async ({ task }) => {
    await playSeeds({ first, count }, task.meta)
  },
  count * SEED_TIMEOUT_MS,
)
