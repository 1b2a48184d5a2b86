/** Plays seeds, each on the storage of a watcher of its own. */
import { runInDurableObject } from 'cloudflare:test'
import { env, someOwner } from '../../app.ts'
import { type Played, simulate } from './simulate.ts'
import { WatcherCalls } from './watcher-calls.ts'

const COMMAND =
  'npx vitest run --config test/vitest.config.ts --project edge test/edge/chain/simulation'

/** Far more than a seed has ever taken. */
export const SEED_TIMEOUT_MS = 30_000

export async function playSeed(seed: number): Promise<Played> {
  const owner = await someOwner()
  const calls = new WatcherCalls()
  try {
    const watcher = env.CHAIN_WATCHER.getByName(`simulation ${seed} ${crypto.randomUUID()}`)
    return await runInDurableObject(watcher, (_, { storage }) =>
      simulate(seed, { storage, owner, calls }),
    )
  } finally {
    calls.restore()
  }
}

/** @throws {Error} for the first that fails, with what happened and what replays it */
export async function playSeeds(
  { first, count }: { first: number; count: number },
  progress: (done: number) => void = () => {},
): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    const { wrong, trace } = await playSeed(seed)
    if (wrong.length > 0) {
      const replay = `SVC_SEED=${seed} ${COMMAND}`
      throw new Error(
        `seed ${seed}: ${wrong.join('\n')}\n\n${trace.join('\n')}\n\nreplay: ${replay}`,
      )
    }
    progress(seed - first + 1)
  }
}
