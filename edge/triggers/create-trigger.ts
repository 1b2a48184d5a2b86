import { actionCid } from '../../shared/cid.ts'
import { TRIGGERS_MAX } from '../../shared/limits.ts'
import {
  type CreateTrigger,
  defaultQueuedRuns,
  type StoredTrigger,
} from '../../shared/wire/trigger.ts'
import { type ChainConfig, readChainConfig } from '../chain/chain-config.ts'
import type { Chains } from '../chain/chain-settings.ts'
import type { Env, Settings } from '../env.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import { begun, newWatch, type Watch } from '../queue/watch.ts'
import { chainHead } from './chain-head.ts'
import { marksWarnings } from './marks-warnings.ts'
import { takeUsageKey } from './take-usage-key.ts'
import { newTriggerId } from './trigger-id.ts'
import { countTriggers, type IndexDatabase } from './trigger-index.ts'
import { TriggerRefused } from './trigger-refused.ts'
import { requireAllowed } from './trigger-rules.ts'

export type CreateContext = {
  ownerId: string
  db: IndexDatabase
  settings: Pick<Settings, 'ID_MAC_KEY' | 'CHAINS'>
  now: () => number
  random: (bytes: number) => Uint8Array
}

/**
 * @throws {TriggerRefused} if a value is not allowed for this kind of trigger
 * @throws {OriginAway | OriginBusy} if the usage key cannot be checked at the moment; nothing is stored
 * @throws {ChainUnavailable} if the head of the chain is unavailable; nothing is stored
 */
export async function createTrigger(
  env: Env,
  { ownerId, db, settings, now, random }: CreateContext,
  body: CreateTrigger,
): Promise<StoredTrigger> {
  requireAllowed(body.kind, body, settings.CHAINS)
  // Concurrent requests may exceed the limit, which is a safeguard and not an exact quota.
  if ((await countTriggers(db, ownerId)) >= TRIGGERS_MAX)
    throw new TriggerRefused({ reason: 'too_many_triggers', max: TRIGGERS_MAX })
  const owner = { triggerId: await newTriggerId(settings.ID_MAC_KEY, random), ownerId }
  const cid = await actionCid(body.action_code)
  const { sealed, warnings } = await takeUsageKey(env, now, body.usage_api_key, cid, owner)
  let watch: Watch | undefined
  if (body.kind === 'chain_event') {
    const config = readChainConfig(body.config)
    watch = await firstWatch(env, settings.CHAINS, body, config)
    warnings.push(...marksWarnings(config))
  }
  // The types of the RPC stub cannot represent a record that contains arbitrary JSON.
  const queue: Pick<TriggerObject, 'create'> = env.TRIGGER_QUEUE.getByName(owner.triggerId)
  const record = await queue.create({
    ...owner,
    name: body.name,
    kind: body.kind,
    config: body.config,
    options: body.options,
    enabled: body.enabled,
    actionCode: body.action_code,
    actionCid: cid,
    defaultParams: body.default_params,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxQueuedRuns: body.max_queued_runs ?? defaultQueuedRuns(body.kind),
    sealedUsageKey: sealed,
    ...(watch ? { watch } : {}),
  })
  return warnings.length > 0 ? { ...record, warnings } : record
}

/** The subscription of a disabled trigger starts when the trigger is enabled. */
async function firstWatch(
  env: Env,
  chains: Chains,
  body: CreateTrigger,
  { chain, startBlock }: ChainConfig,
): Promise<Watch> {
  const watch = newWatch(chain)
  if (!body.enabled) return watch
  return begun(watch, startBlock, await chainHead(env, chains, chain, body.options))
}
