import { inject, it } from 'vitest'
import { playSeeds } from './seeds.ts'

const COMMAND =
  'npx vitest run --config test/vitest.config.ts --project edge test/edge/chain/simulation'

/** Far more than a seed has ever taken. */
const SEED_TIMEOUT_MS = 30_000

const { first, count: all } = inject('simulation')
/** After those of `simulation.test.ts`, beside which this runs. */
const before = Math.ceil(all / 2)
const count = all - before

it.skipIf(count === 0)(
  'in further seeds, too, whatever the chain and its endpoints do, each event makes one run, and marks say which are gone',
  async () => {
    await playSeeds({ first: first + before, count, command: COMMAND })
  },
  count * SEED_TIMEOUT_MS,
)
