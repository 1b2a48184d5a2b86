import { inject, it } from 'vitest'
import { playSeeds } from './seeds.ts'

const COMMAND =
  'npx vitest run --config test/vitest.config.ts --project edge test/edge/chain/simulation'

/** Far more than a seed has ever taken. */
const SEED_TIMEOUT_MS = 30_000

const { first, count: all } = inject('simulation')
/** The others are `further-seeds.test.ts`'s, which runs beside this. */
const count = Math.ceil(all / 2)

it(
  'whatever the chain and its endpoints do, each event makes one run, and marks say which are gone',
  async () => {
    await playSeeds({ first, count, command: COMMAND })
  },
  count * SEED_TIMEOUT_MS,
)
