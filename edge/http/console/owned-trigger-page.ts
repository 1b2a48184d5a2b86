import type { Context } from 'hono'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import type { TriggerQueue } from '../../queue/trigger-queue.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../app-env.ts'
import { notFound, queueOf } from '../owned-trigger.ts'

/**
 * The trigger that a page is about, from the object itself.
 * @throws {ApiError} 404, the same for an id that is unknown, malformed or another's
 */
export async function requireOwnTrigger(
  c: Context<AppEnv>,
  id: string,
  { user }: Session,
): Promise<TriggerRecord> {
  // The stub's own types make nothing of a record that may have any JSON in it.
  const queue: Pick<TriggerQueue, 'read'> = await queueOf(c, id)
  const record = await queue.read(user.id)
  if (!record) throw notFound('trigger')
  return record
}
