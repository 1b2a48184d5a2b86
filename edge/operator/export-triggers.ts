import { and, asc, eq, gt } from 'drizzle-orm'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { EXPORT_PAGE_TRIGGERS, type ExportedTrigger } from '../../shared/wire/operator.ts'
import { triggers } from '../db/schema.ts'
import type { Env } from '../env.ts'
import type { OperatorDeps } from './deps.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'

/**
 * Reads a page of an owner's triggers from their objects, in the order of their IDs. Runs are not exported.
 * @param after `next` of the previous page
 */
export async function exportTriggers(
  env: Env,
  db: OperatorDeps['db'],
  ownerId: string,
  after = '',
): Promise<{ triggers: ExportedTrigger[]; next: string | null }> {
  const rows = await db
    .select({ id: triggers.id })
    .from(triggers)
    .where(and(eq(triggers.ownerId, ownerId), gt(triggers.id, after)))
    .orderBy(asc(triggers.id))
    .limit(EXPORT_PAGE_TRIGGERS)
  const read = await Promise.all(rows.map(({ id }) => readTrigger(env, ownerId, id)))
  return {
    triggers: read.filter((trigger) => trigger !== undefined),
    next: rows.length < EXPORT_PAGE_TRIGGERS ? null : rows.at(-1)!.id,
  }
}

/** @returns undefined if the trigger was deleted in the meantime */
async function readTrigger(
  env: Env,
  ownerId: string,
  id: string,
): Promise<ExportedTrigger | undefined> {
  // The generated RPC stub type cannot represent a record that contains arbitrary JSON.
  const queue: Pick<TriggerObject, 'read' | 'sealedUsageKey'> = env.TRIGGER_QUEUE.getByName(id)
  const [record, sealed] = [await queue.read(ownerId), await queue.sealedUsageKey(ownerId)]
  if (!record || !sealed) return undefined
  const { name, kind, action_code, default_params, config, options, enabled } = record
  const { max_runs_per_minute, max_queued_runs } = record
  return {
    id,
    owner_id: ownerId,
    name,
    kind,
    action_code,
    default_params,
    max_runs_per_minute,
    max_queued_runs,
    config,
    options,
    enabled,
    sealed_usage_key: encodeBase64url(sealed),
  }
}
