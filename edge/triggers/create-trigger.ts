import { actionCid } from '../../shared/cid.ts'
import { sealForStorage } from '../../shared/envelope/seal.ts'
import { ApiError } from '../../shared/errors.ts'
import { isDeeper } from '../../shared/json-depth.ts'
import { JSON_DEPTH_MAX, TRIGGER_SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import type { CreateTrigger, TriggerRecord } from '../../shared/wire/trigger.ts'
import type { Env } from '../env.ts'
import { sealingKeys } from '../trust/trusted-keys.ts'
import { newTriggerId } from './trigger-id.ts'

/** Params that every run of a trigger repeats: they are stored with each revision, in one row. */
const DEFAULT_PARAMS_MAX_BYTES = 256 * 1024

/**
 * Makes a trigger in its object. The usage key is sealed to the origin for this trigger and owner before it
 * leaves this request: nothing at the edge can open it afterwards.
 * @throws {ApiError} 422 for what a trigger can not have, 503 where the origin is not verified
 */
export async function createTrigger(
  env: Env,
  context: { ownerId: string; macKey: string; now: number; random: (n: number) => Uint8Array },
  body: CreateTrigger,
): Promise<TriggerRecord> {
  requireServed(body)
  const triggerId = await newTriggerId(context.macKey, context.random)
  const owner = { triggerId, ownerId: context.ownerId }
  const sealedUsageKey = await sealed(env, context.now, body.usage_api_key, owner)
  return env.TRIGGER_QUEUE.getByName(triggerId).create({
    ...owner,
    name: body.name,
    kind: body.kind,
    config: body.config,
    options: body.options,
    enabled: body.enabled,
    actionCode: body.action_code,
    actionCid: await actionCid(body.action_code),
    defaultParams: body.default_params,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxQueuedRuns: body.max_queued_runs,
    sealedUsageKey,
  })
}

function requireServed(body: CreateTrigger): void {
  const refuse = (message: string, fix: string) => {
    throw new ApiError(422, message, fix)
  }
  if (body.kind !== 'webhook')
    refuse(`kind: ${body.kind} triggers are not served by this version.`, 'Create a webhook.')
  if (Object.keys(body.config).length > 0)
    refuse('config: a webhook has no configuration.', 'Send {} or leave config out.')
  const encoder = new TextEncoder()
  const source = encoder.encode(body.action_code).length
  if (source > TRIGGER_SOURCE_MAX_BYTES)
    refuse(
      `action_code: ${source} bytes, and at most ${TRIGGER_SOURCE_MAX_BYTES} are taken.`,
      'Make the source smaller.',
    )
  if (isDeeper(body.default_params, JSON_DEPTH_MAX))
    refuse(`default_params: nested over ${JSON_DEPTH_MAX} deep.`, 'Make them flatter.')
  const params = encoder.encode(JSON.stringify(body.default_params)).length
  if (params > DEFAULT_PARAMS_MAX_BYTES)
    refuse(
      `default_params: ${params} bytes, and at most ${DEFAULT_PARAMS_MAX_BYTES} are taken.`,
      'Keep large constants in the source.',
    )
}

async function sealed(
  env: Env,
  now: number,
  usageKey: string,
  owner: { triggerId: string; ownerId: string },
): Promise<Uint8Array> {
  let keys
  try {
    keys = await sealingKeys(env, now)
  } catch (error) {
    console.error(
      JSON.stringify({ event: 'origin.not_verified', error: String(error).slice(0, 300) }),
    )
    throw new ApiError(
      503,
      'The origin is not verified, so there is no key to seal the usage key to.',
      'Try again shortly; nothing was stored.',
      { headers: { 'retry-after': '5' } },
    )
  }
  return sealForStorage(keys.storage, usageKey, owner)
}
