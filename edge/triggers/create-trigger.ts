import { actionCid } from '../../shared/cid/compute-cid.ts'
import { INDEX_BYTES_MAX, TRIGGERS_MAX } from '../../shared/limits.ts'
import {
  type CreateTrigger,
  defaultQueuedRuns,
  type StoredTrigger,
  type TriggerRecord,
} from '../../shared/wire/trigger.ts'
import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import { readChainConfig } from '../chain/chain-config.ts'
import { earliestStart } from '../chain/transactions-config.ts'
import type { Chains } from '../../shared/config/chain-settings.ts'
import type { Env, Settings } from '../env.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import {
  startSubscription,
  newSubscriptionState,
  type SubscriptionState,
} from '../queue/subscription-state.ts'
import { requireChainHead } from './chain-head.ts'
import { requireValidExpressions } from './expression-rules.ts'
import { requireCompilingSource } from '../compile-check/source-does-not-compile-error.ts'
import { requireAddressRoom } from './address-room.ts'
import { missingIndexedWarnings } from './missing-indexed-warnings.ts'
import { startTooEarly } from './near-start.ts'
import { resealUsageKey } from './reseal-usage-key.ts'
import { type SealedUsageKey, sealUsageKey } from './seal-usage-key.ts'
import { newTriggerId } from './trigger-id.ts'
import { IndexFullError } from './index-full-error.ts'
import { type IndexDatabase, indexUsage } from './trigger-index.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'
import { normalizeConfig, requireAllowedFields, requireFutureTick } from './trigger-rules.ts'
import { prepareSecrets } from '../sources/prepare-secrets.ts'
import type { SealedSecret } from '../sources/source-change.ts'
import { secretRequired, sourceRequired } from './source-rejections.ts'

type CreateContext = {
  ownerId: string
  db: IndexDatabase
  settings: Pick<Settings, 'ID_MAC_KEY' | 'CHAINS'>
  now: () => number
  random: (bytes: number) => Uint8Array
  by: ChangeOrigin
  /**
   * Accepts a schedule that has already ended, an action that does not compile, and a source without a secret, which
   * rejects all webhooks.
   */
  isImported?: true
  /** @default INDEX_BYTES_MAX */
  indexBytesMax?: number
}

/**
 * @throws {TriggerRejectedError} if a value is not allowed for this kind of trigger, or if the owner has no trigger
 *   `usage_key_of` with a usable key
 * @throws {SourceDoesNotCompileError}
 * @throws {IndexFullError} if the database has no room for further triggers; nothing is stored
 * @throws {OriginUnavailableError | OriginBusyError} if the usage key cannot be checked at the moment; nothing is
 *   stored
 * @throws {TriggerChainUnavailableError} if the head of the chain is unavailable; nothing is stored
 */
export async function createTrigger(
  env: Env,
  {
    ownerId,
    db,
    settings,
    now,
    random,
    by,
    indexBytesMax = INDEX_BYTES_MAX,
    isImported,
  }: CreateContext,
  body: CreateTrigger,
): Promise<StoredTrigger> {
  requireAllowedFields(body.kind, body, settings.CHAINS)
  await requireValidExpressions(body.options)
  if (!isImported) requireFutureTick(body.kind, body.config, now())
  if (!isImported) await requireCompilingSource('action_code', body.action_code)
  const { source } = body.options
  if (source === undefined && body.webhook_secret !== undefined) throw sourceRequired()
  if (source !== undefined && body.webhook_secret === undefined && !isImported)
    throw secretRequired()
  // Concurrent requests may exceed these limits. That is acceptable, because they are safeguards and not exact quotas.
  const { triggers, databaseBytes } = await indexUsage(db, ownerId)
  if (triggers >= TRIGGERS_MAX)
    throw new TriggerRejectedError({ reason: 'too_many_triggers', max: TRIGGERS_MAX })
  if (databaseBytes >= indexBytesMax) throw new IndexFullError()
  await requireAddressRoom(db, { ownerId, triggerId: '' }, body.config)
  const owner = { triggerId: await newTriggerId(settings.ID_MAC_KEY, random), ownerId }
  const secret = await secretOf(body, {
    triggerId: owner.triggerId,
    macKey: settings.ID_MAC_KEY,
    random,
  })
  const cid = await actionCid(body.action_code)
  const { sealed, warnings } = await sealedKeyFor(env, { now, settings }, body, { ...owner, cid })
  if (body.kind === 'chain_event')
    warnings.push(...missingIndexedWarnings(readChainConfig(body.config)))
  const record = await storeTrigger(
    env,
    settings,
    { ...owner, sealed, cid, by, ...(secret ? { secret } : {}) },
    body,
  )
  return warnings.length > 0 ? { ...record, warnings } : record
}

/**
 * Stores a trigger under an ID that no trigger has.
 * @param owned `sealed` is the usage key, encrypted for this trigger and owner. If a trigger with this ID existed before,
 *   `version` must be above the versions of that trigger.
 * @throws {TriggerChainUnavailableError} if the head of the chain is unavailable; nothing is stored
 */
export async function storeTrigger(
  env: Env,
  settings: Pick<Settings, 'CHAINS'>,
  {
    sealed,
    cid,
    version = 1,
    by,
    ...owner
  }: {
    triggerId: string
    ownerId: string
    sealed: Uint8Array
    cid: string
    version?: number
    by: ChangeOrigin
    secret?: SealedSecret
  },
  body: Omit<CreateTrigger, 'usage_api_key' | 'usage_key_of' | 'webhook_secret'>,
): Promise<TriggerRecord> {
  const watch =
    body.kind === 'chain_event' ? await firstWatch(env, settings.CHAINS, version, body) : undefined
  // The generated RPC stub type cannot represent a record that contains arbitrary JSON.
  const queue: Pick<TriggerObject, 'create'> = env.TRIGGER_QUEUE.getByName(owner.triggerId)
  const trigger = {
    ...owner,
    name: body.name,
    kind: body.kind,
    config: normalizeConfig(body.kind, body.config),
    options: body.options,
    enabled: body.enabled,
    actionCode: body.action_code,
    actionCid: cid,
    defaultParams: body.default_params,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxQueuedRuns: body.max_queued_runs ?? defaultQueuedRuns(body.kind),
    sealedUsageKey: sealed,
    version,
    ...(watch ? { watch } : {}),
  }
  return queue.create(trigger, by)
}

/** The subscription of a disabled trigger starts when the trigger is enabled. */
async function firstWatch(
  env: Env,
  chains: Chains,
  version: number,
  body: Pick<CreateTrigger, 'enabled' | 'options' | 'config'>,
): Promise<SubscriptionState> {
  const config = readChainConfig(body.config)
  const { chain, startBlock } = config
  // The watcher also ignores generations below that of an earlier trigger, and a generation is never above a version.
  const watch = { ...newSubscriptionState(chain), generation: version - 1 }
  if (!body.enabled) return watch
  const head = await requireChainHead(env, chains, chain, body.options)
  const earliest = earliestStart(config, head)
  if (earliest !== undefined) throw startTooEarly(earliest)
  return startSubscription(watch, startBlock, head)
}

function sealedKeyFor(
  env: Env,
  { now, settings }: Pick<CreateContext, 'now' | 'settings'>,
  { usage_api_key, usage_key_of: sourceId }: Pick<CreateTrigger, 'usage_api_key' | 'usage_key_of'>,
  { cid: actionCid, ...owner }: { triggerId: string; ownerId: string; cid: string },
): Promise<SealedUsageKey> {
  // The schema requires exactly one of the two.
  if (sourceId === undefined) return sealUsageKey(env, now, usage_api_key!, actionCid, owner)
  const { ID_MAC_KEY: macKey } = settings
  return resealUsageKey(env, now, { sourceId, actionCid, macKey }, owner)
}

async function secretOf(
  { options, webhook_secret }: Pick<CreateTrigger, 'options' | 'webhook_secret'>,
  context: Parameters<typeof prepareSecrets>[0],
): Promise<SealedSecret | undefined> {
  const { source } = options
  if (source === undefined || webhook_secret === undefined) return undefined
  return { source, sealed: await prepareSecrets(context, source, webhook_secret) }
}
