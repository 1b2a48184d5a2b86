import { withFreshDatabase } from './database.ts'
import { type Played, simulate } from './simulate.ts'

/** Rows are never removed, and a database of many gets slow: each gets so many seeds. */
const SEEDS_OF_ONE_DATABASE = 500

/** Seeds that failed once, kept as tests. Add every seed that a campaign finds, with its cause. */
export const KEPT_SEEDS: { seed: number; cause: string }[] = [
  { seed: 481, cause: 'the last charge takes a full flush interval, in a calm climate' },
  { seed: 900122, cause: 'the last charge takes a full flush interval, under a spending cap' },
]

/** One seed, to be played again: `SVC_SEED=1234`. */
const REPLAYED = process.env['SVC_SEED']

/**
 * Plays seeds one after another, or the one that `SVC_SEED` names.
 * @param command what replays a seed after `SVC_SEED=… `
 * @throws {Error} for the first that fails, with what happened and what replays it
 */
export async function playSeeds(
  { first, count, command }: { first: number; count: number; command: string },
  progress: (done: number) => void = () => {},
): Promise<void> {
  const seeds = REPLAYED === undefined ? { first, count } : { first: Number(REPLAYED), count: 1 }
  for (let done = 0; done < seeds.count; done += SEEDS_OF_ONE_DATABASE) {
    const some = Math.min(SEEDS_OF_ONE_DATABASE, seeds.count - done)
    await withFreshDatabase(async (connection) => {
      for (let index = 0; index < some; index++) {
        const played = await simulate(connection, seeds.first + done + index)
        if (played.violation) throw failureOf(played, command)
      }
    })
    progress(done + some)
  }
}

function failureOf({ seed, trace, violation }: Played, command: string): Error {
  const replay = `SVC_SEED=${seed} ${command}`
  const text = `seed ${seed}: ${violation?.message}\n\n${trace.lines.join('\n')}\n\nreplay: ${replay}`
  return new Error(text, { cause: violation })
}
