import type { Context } from 'hono'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import type { AppEnv } from './app-env.ts'
import { longPoll } from './long-poll.ts'
import { queueOfRun } from './trigger-lookup.ts'

/** Waits at most this long for the run to finish. Returns undefined for an unknown run. */
export async function longPollRun(
  c: Context<AppEnv>,
  { ownerId, runId }: { ownerId: string; runId: string },
  waitMs: number,
): Promise<RunRecord | undefined> {
  const { now } = c.var.services
  return longPoll(
    { now, waitMs },
    async (ms) => {
      const queue = await queueOfRun(c, runId)
      return (await queue.run(ownerId, runId, ms)) as RunRecord | undefined
    },
    (run) => !run || run.finished_at !== null,
  )
}
