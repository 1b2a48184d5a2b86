import type { Context } from 'hono'
import type { z } from 'zod'
import type { Tail, tailQuery } from '../../shared/wire/tail.ts'
import type { AppEnv } from './app-env.ts'
import { longPoll } from './long-poll.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

/** @throws {ApiError} 404 if this owner has no such trigger */
export async function longPollTail(
  c: Context<AppEnv>,
  { ownerId, triggerId }: { ownerId: string; triggerId: string },
  { after, wait }: z.infer<typeof tailQuery>,
): Promise<Tail> {
  const { now } = c.var.services
  const tail = await longPoll(
    { now, waitMs: wait * 1000 },
    async (ms) => {
      const queue = await queueOf(c, triggerId)
      return (await queue.follow(ownerId, after, ms)) as Tail | undefined
    },
    (found) => !found || found.changed || found.lines.length > 0,
  )
  if (!tail) throw notFound('trigger')
  return tail
}
