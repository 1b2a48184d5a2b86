/** Plays seeds, each with the storage of a separate watcher. */
import { runInDurableObject } from 'cloudflare:test'
import type { TaskMeta } from 'vitest'
import type { Bounds } from '../../../nightly/bounds.ts'
import { campaignOf, commandOf } from '../../../nightly/campaigns.ts'
import { FailedSeeds } from '../../../nightly/failed-seeds.ts'
import { env, someOwner } from '../../app.ts'
import type { ExpectedFilter } from './chain-history.ts'
import { type Played, simulate } from './simulate.ts'
import { WatcherCalls } from './watcher-calls.ts'

const COMMAND = commandOf(campaignOf('chain'))

/** Far longer than any seed has taken so far. */
export const SEED_TIMEOUT_MS = 30_000

export async function playSeed(seed: number, isPlain = false): Promise<Played> {
  const owner = await someOwner()
  const calls = new WatcherCalls()
  try {
    const watcher = env.CHAIN_WATCHER.getByName(`simulation ${seed} ${crypto.randomUUID()}`)
    return await runInDurableObject(watcher, (_, { storage }) =>
      simulate(seed, { storage, owner, calls, isPlain }),
    )
  } finally {
    calls.restore()
  }
}

/**
 * Plays seeds one after another, and continues after a failed one.
 * @returns the configurations that the triggers of all seeds had
 * @throws {Error} with the trace of each failed seed and the command that replays it
 */
export async function playSeeds(
  { first, count }: Bounds,
  meta: TaskMeta,
  isPlain = false,
): Promise<ExpectedFilter[]> {
  const failed = new FailedSeeds(COMMAND)
  const filters: ExpectedFilter[] = []
  for (let seed = first; seed < first + count; seed++) {
    const { wrong, trace, filters: played } = await playSeed(seed, isPlain)
    filters.push(...played)
    if (wrong.length > 0) failed.add(seed, wrong.join('\n'), trace)
  }
  failed.throwIfAny(meta)
  return filters
}
