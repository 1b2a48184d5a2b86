import { actionCid } from '../../shared/cid/compute-cid.ts'
import { withoutUndefined } from '../../shared/json/without-undefined.ts'
import type { PatchTrigger, StoredTrigger } from '../../shared/wire/trigger.ts'
import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import { readChainConfig } from '../chain/chain-config.ts'
import type { Env, Settings } from '../env.ts'
import { prepareSecrets } from '../sources/prepare-secrets.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import type { KnownHead } from '../queue/subscription-change.ts'
import type { TriggerChange } from '../queue/trigger-state.ts'
import { requireCompilingSource } from '../compile-check/source-does-not-compile-error.ts'
import { requireAddressRoom } from './address-room.ts'
import { TriggerChainUnavailableError, requireChainHead } from './chain-head.ts'
import { requireValidExpressions } from './expression-rules.ts'
import { missingIndexedWarnings } from './missing-indexed-warnings.ts'
import { startTooEarly } from './near-start.ts'
import { storedKeyWarnings } from './stored-key-warnings.ts'
import { secretRequired, sourceRequired } from './source-rejections.ts'
import { sealUsageKey } from './seal-usage-key.ts'
import type { IndexDatabase } from './trigger-index.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'
import { normalizeConfig, requireAllowedFields } from './trigger-rules.ts'

type ChangeContext = {
  /** Trigger ID that was already verified as issued by this service. */
  triggerId: string
  ownerId: string
  db: IndexDatabase
  now: () => number
  random: (bytes: number) => Uint8Array
  settings: Pick<Settings, 'ID_MAC_KEY' | 'CHAINS'>
  by: ChangeOrigin
}

/** Maximum attempts to apply a change while other requests change the same trigger. */
const TRIES = 3

/**
 * Changes the fields of a trigger that are present in the request body.
 * @returns the new record, or `undefined` if this owner has no such trigger
 * @throws {TriggerRejectedError} if a value is not allowed for this kind of trigger
 * @throws {SourceDoesNotCompileError}
 * @throws {OriginUnavailableError | OriginBusyError} if a new usage key cannot be checked at the moment; nothing is
 *   changed
 * @throws {TriggerChainUnavailableError} if the chain's head is needed and unavailable; nothing is changed
 */
export async function changeTrigger(
  env: Env,
  { triggerId, ownerId, db, now, random, settings, by }: ChangeContext,
  body: PatchTrigger,
): Promise<StoredTrigger | undefined> {
  // The generated RPC stub type cannot represent a record that contains arbitrary JSON.
  const queue: Pick<TriggerObject, 'kindAndAction' | 'sealedUsageKey' | 'change'> =
    env.TRIGGER_QUEUE.getByName(triggerId)
  // Checks ownership first, so that other callers learn nothing about the trigger's kind or usage key.
  const known = await queue.kindAndAction(ownerId)
  if (!known) return undefined
  const { CHAINS: chains, ID_MAC_KEY: macKey } = settings
  requireAllowedFields(known.kind, body, chains)
  await requireValidExpressions(body.options)
  const change: TriggerChange = fieldsOf(body)
  if (body.config) change.config = normalizeConfig(known.kind, body.config)
  if (change.config) await requireAddressRoom(db, { ownerId, triggerId }, change.config)
  if (body.webhook_secret !== undefined) {
    const source = body.options ? body.options.source : known.source
    if (source === undefined) throw sourceRequired()
    const context = { triggerId, macKey, random }
    change.secret = { source, sealed: await prepareSecrets(context, source, body.webhook_secret) }
  }
  const cid = body.action_code === undefined ? undefined : await actionCid(body.action_code)
  if (cid !== undefined) change.actionCid = cid
  if (body.action_code !== undefined && cid !== known.actionCid)
    await requireCompilingSource('action_code', body.action_code)
  let warnings: string[] = []
  if (body.usage_api_key !== undefined) {
    const action = cid ?? known.actionCid
    const usageKey = await sealUsageKey(env, now, body.usage_api_key, action, {
      triggerId,
      ownerId,
    })
    change.sealedUsageKey = usageKey.sealed
    warnings = usageKey.warnings
  } else if (cid !== undefined && cid !== known.actionCid) {
    const sealed = await queue.sealedUsageKey(ownerId)
    if (!sealed) return undefined
    warnings = await storedKeyWarnings(env, now, { sealed, triggerId, ownerId }, cid)
  }
  if (known.kind === 'chain_event' && body.config)
    warnings.push(...missingIndexedWarnings(readChainConfig(body.config)))
  let head: KnownHead | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    const changed = await queue.change(ownerId, change, head, by)
    if (!changed) return undefined
    if (changed.state === 'secret_required') throw secretRequired()
    if (changed.state === 'source_required') throw sourceRequired()
    if (changed.state === 'suspended') throw new TriggerRejectedError({ reason: 'suspended' })
    if (changed.state === 'start_too_early') throw startTooEarly(changed.earliest)
    if (changed.state === 'changed')
      return warnings.length > 0 ? { ...changed.record, warnings } : changed.record
    const { chain, finality } = changed
    head = { chain, finality, head: await requireChainHead(env, chains, chain, { finality }) }
  }
  throw new TriggerChainUnavailableError(head!.chain)
}

function fieldsOf(body: PatchTrigger): TriggerChange {
  return withoutUndefined({
    name: body.name,
    enabled: body.enabled,
    config: body.config,
    options: body.options,
    actionCode: body.action_code,
    defaultParams: body.default_params,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxQueuedRuns: body.max_queued_runs,
  }) as TriggerChange
}
