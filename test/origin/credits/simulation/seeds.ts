import type { TaskMeta } from 'vitest'
import type { Bounds } from '../../../nightly/bounds.ts'
import { campaignOf, commandOf } from '../../../nightly/campaigns.ts'
import { FailedSeeds } from '../../../nightly/failed-seeds.ts'
import { withFreshDatabase } from './database.ts'
import { simulate } from './simulate.ts'

/** Seeds per database. Rows are never removed, and a large database is slow. */
const SEEDS_OF_ONE_DATABASE = 500

/** Seeds that failed once, kept as tests. Add every seed that a campaign finds, with its cause. */
export const KEPT_SEEDS: { seed: number; cause: string }[] = [
  { seed: 481, cause: 'the last charge takes a full flush interval, in a calm climate' },
  { seed: 900122, cause: 'the last charge takes a full flush interval, under a spending cap' },
  { seed: 3266, cause: 'a reservation is made while an order learns of a new spending cap' },
  { seed: 3300, cause: 'two changes of a spending cap overlap' },
  { seed: 3675, cause: 'a reservation is made while an order learns of a new spending cap' },
  { seed: 3802, cause: 'a process returns its credit, and takes more of it than it needs' },
  { seed: 3951, cause: 'a lease lasts longer because of a clock that was a minute ahead' },
  { seed: 4158, cause: 'a reservation is made while an order learns of a new spending cap' },
  { seed: 4811, cause: 'a reservation is made while an order learns of a new spending cap' },
  { seed: 6352, cause: 'a new cap is leased before all processes have confirmed it' },
]

const COMMAND = commandOf(campaignOf('money'))

/**
 * Plays seeds one after another, and continues after a failure.
 * @throws {Error} with the trace of each failed seed and the command that replays it
 */
export async function playSeeds({ first, count }: Bounds, meta: TaskMeta): Promise<void> {
  const failed = new FailedSeeds(COMMAND)
  for (let done = 0; done < count; done += SEEDS_OF_ONE_DATABASE) {
    const some = Math.min(SEEDS_OF_ONE_DATABASE, count - done)
    await withFreshDatabase(async (connection) => {
      for (let index = 0; index < some; index++) {
        const { seed, trace, violation } = await simulate(connection, first + done + index)
        if (violation) failed.add(seed, violation.message, trace.lines)
      }
    })
  }
  failed.throwIfAny(meta)
}
