import type { TaskMeta } from 'vitest'
import type { Bounds } from '../../../nightly/bounds.ts'
import { campaignOf, commandOf } from '../../../nightly/campaigns.ts'
import { FailedSeeds } from '../../../nightly/failed-seeds.ts'
import { withFreshDatabase } from '../../credits/simulation/database.ts'
import { simulate } from './simulate.ts'

/** Seeds that failed once, kept as tests. Add every seed that a campaign finds, with its cause. */
export const KEPT_SEEDS: { seed: number; cause: string }[] = [
  { seed: 27, cause: 'a process held a lane without knowing it, because the response was lost' },
  {
    seed: 681,
    cause: 'a process dropped a lane while its lease had ended, and did not take it again',
  },
]

const COMMAND = commandOf(campaignOf('transactions'))

/**
 * Plays seeds one after another, and continues after a failure.
 * @throws {Error} with the trace of each failed seed and the command that replays it
 */
export async function playSeeds({ first, count }: Bounds, meta: TaskMeta): Promise<void> {
  const failed = new FailedSeeds(COMMAND)
  await withFreshDatabase(async (connection) => {
    for (let seed = first; seed < first + count; seed++) {
      const { trace, violation } = await simulate(connection, seed)
      if (violation) failed.add(seed, violation.message, trace.lines)
    }
  })
  failed.throwIfAny(meta)
}
