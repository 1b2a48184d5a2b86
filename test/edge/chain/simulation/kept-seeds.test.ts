import { inject, it } from 'vitest'
import { playSeeds, SEED_TIMEOUT_MS } from './seeds.ts'

/** Seeds that failed in the past, each with a description of its scenario. They are older than other filters than topics. */
const KEPT = [
  { seed: 900_025, what: 'an event moves to a block that only an earlier configuration covers' },
  { seed: 900_109, what: 'a trigger is disabled before its watcher learns of a reorganisation' },
  { seed: 900_226, what: 'a shorter branch replaces a block that was final below the old head' },
]

const isReplay = inject('simulation').first !== 1

it.skipIf(isReplay).for(KEPT)(
  'seed $seed: $what',
  { timeout: SEED_TIMEOUT_MS },
  async ({ seed }, { task }) => {
    await playSeeds({ first: seed, count: 1 }, task.meta, true)
  },
)
