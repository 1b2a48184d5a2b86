import { BY_OPERATOR } from '../audit-log/trigger-change.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { decodeBase64url } from '../../shared/encoding/base64url.ts'
import type { ExportedTrigger } from '../../shared/wire/operator.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { Env } from '../env.ts'
import type { OperatorDeps } from './deps.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import { createTrigger, storeTrigger } from '../triggers/create-trigger.ts'
import { requireValidExpressions } from '../triggers/expression-rules.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import { requireAllowedFields } from '../triggers/trigger-rules.ts'
import { OperatorRefusedError } from './operator-refused-error.ts'

type Import = { ownerId: string; trigger: ExportedTrigger; usageKey: string | undefined }

/** `restore` keeps the trigger's ID, webhook URL and sealed usage key; `create` makes a new trigger with another key. */
type ImportPlan = { mode: 'restore' | 'create' | 'exists' }

/**
 * @throws {OperatorRefusedError} if the trigger can only be created with another usage key, because its sealed key is bound
 *   to another owner or deployment
 */
export async function planImport(
  env: Env,
  { settings }: Pick<OperatorDeps, 'settings'>,
  { ownerId, trigger, usageKey }: Import,
): Promise<ImportPlan> {
  if (usageKey !== undefined) return { mode: 'create' }
  if (trigger.owner_id !== ownerId)
    throw new OperatorRefusedError(
      'request',
      'trigger.owner_id: the trigger belongs to another user, and its sealed usage key is bound to that user.',
      'Send usage_api_key with a usage key of the new owner, which creates a new trigger with a new webhook URL.',
    )
  if (!(await isTriggerId(settings.ID_MAC_KEY, trigger.id)))
    throw new OperatorRefusedError(
      'request',
      'trigger.id: this deployment did not issue the ID.',
      'Import into the deployment with the same ID_MAC_KEY and origin, or send usage_api_key to create a new trigger.',
    )
  const queue: Pick<TriggerObject, 'status'> = env.TRIGGER_QUEUE.getByName(trigger.id)
  return { mode: (await queue.status()) ? 'exists' : 'restore' }
}

/** @returns the ID of the imported trigger, and its webhook URL if it has one */
export async function importTrigger(
  env: Env,
  { db, settings, now, random }: OperatorDeps,
  { ownerId, trigger, usageKey }: Import,
): Promise<{ id: string; webhook_url: string | null; warnings: string[] }> {
  const { id, owner_id: _owner, sealed_usage_key: sealedText, ...exported } = trigger
  // Otherwise, the events since this block would be executed again.
  const { start_block: _start, ...config } = exported.config
  const body = { ...exported, config }
  if (usageKey !== undefined) {
    const context = {
      ownerId,
      db,
      settings,
      now,
      random,
      by: BY_OPERATOR,
      isImported: true as const,
    }
    const created = await createTrigger(env, context, { ...body, usage_api_key: usageKey })
    const { webhook_url = null, warnings = [] } = created
    return { id: created.id, webhook_url, warnings: [...warnings, ...secretWarnings(body.options)] }
  }
  requireAllowedFields(body.kind, body, settings.CHAINS)
  await requireValidExpressions(body.options)
  const sealed = decodeBase64url(sealedText)
  if (sealed === undefined)
    throw new OperatorRefusedError(
      'request',
      'trigger.sealed_usage_key: expected base64url.',
      'Import the file as it was exported.',
    )
  const cid = await actionCid(body.action_code)
  // Versions count changes, so the current time is above each version of the deleted trigger, which may be unknown. The
  // index and the chain watcher ignore versions below the ones that they know.
  const owned = { triggerId: id, ownerId, sealed, cid, version: now(), by: BY_OPERATOR }
  const restored = await storeTrigger(env, settings, owned, body)
  const { webhook_url = null } = restored
  return { id, webhook_url, warnings: secretWarnings(body.options) }
}

/** Webhook secrets are not exported. */
function secretWarnings({ source }: TriggerOptions): string[] {
  if (source === undefined) return []
  return [
    'The trigger rejects all webhooks until its owner sets webhook_secret again: PATCH {"webhook_secret": ...}.',
  ]
}
