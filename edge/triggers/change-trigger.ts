import { actionCid } from '../../shared/cid.ts'
import type { PatchTrigger, StoredTrigger } from '../../shared/wire/trigger.ts'
import type { Env } from '../env.ts'
import type { TriggerQueue } from '../queue/trigger-queue.ts'
import type { TriggerChange } from '../queue/trigger-state.ts'
import { takeUsageKey } from './take-usage-key.ts'
import { requireAllowed } from './trigger-rules.ts'

/**
 * Changes what its owner may change of a trigger; what is absent stays (`decisions.md`, PATCH).
 * @param owner the trigger's id, one that we made, and who asks
 * @returns the new record; `undefined` where this owner has no such trigger
 * @throws {TriggerRefused} for what a trigger of its kind can not have
 * @throws {OriginAway | OriginBusy} where nobody can tell what a new usage key is: nothing is changed
 */
export async function changeTrigger(
  env: Env,
  now: () => number,
  owner: { triggerId: string; ownerId: string },
  body: PatchTrigger,
): Promise<StoredTrigger | undefined> {
  // The stub's own types make nothing of a record that may have any JSON in it.
  const queue: Pick<TriggerQueue, 'kindAndAction' | 'change'> = env.TRIGGER_QUEUE.getByName(
    owner.triggerId,
  )
  // Neither of a kind's rules nor of a key anything is said to somebody else.
  const known = await queue.kindAndAction(owner.ownerId)
  if (!known) return undefined
  requireAllowed(known.kind, body)
  const change: TriggerChange = fieldsOf(body)
  const cid = body.action_code === undefined ? undefined : await actionCid(body.action_code)
  if (cid !== undefined) change.actionCid = cid
  let warnings: string[] = []
  if (body.usage_api_key !== undefined) {
    const action = cid ?? known.actionCid
    const taken = await takeUsageKey(env, now, body.usage_api_key, action, owner)
    change.sealedUsageKey = taken.sealed
    warnings = taken.warnings
  }
  const record = await queue.change(owner.ownerId, change)
  return record && warnings.length > 0 ? { ...record, warnings } : record
}

function fieldsOf(body: PatchTrigger): TriggerChange {
  const fields = {
    name: body.name,
    enabled: body.enabled,
    config: body.config,
    options: body.options,
    actionCode: body.action_code,
    defaultParams: body.default_params,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxQueuedRuns: body.max_queued_runs,
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as TriggerChange
}
