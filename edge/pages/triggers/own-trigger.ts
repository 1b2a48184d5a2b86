import type { Context } from 'hono'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import type { TriggerObject } from '../../queue/trigger-object.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { notFound, queueOf } from '../../http/trigger-lookup.ts'

/**
 * Reads from the trigger's Durable Object.
 * @throws {ApiError} 404, identical for unknown, malformed and other users' IDs
 */
export async function requireOwnTrigger(
  c: Context<AppEnv>,
  id: string,
  { user }: Session,
): Promise<TriggerRecord> {
  // The stub's inferred types cannot express arbitrary JSON.
  const queue: Pick<TriggerObject, 'read'> = await queueOf(c, id)
  const record = await queue.read(user.id)
  if (!record) throw notFound('trigger')
  return record
}
