/** Validation rules for trigger fields, beyond their JSON types. They apply to both creation and PATCH. */
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import {
  DEFAULT_PARAMS_MAX_BYTES,
  JSON_DEPTH_MAX,
  TRIGGER_SOURCE_MAX_BYTES,
} from '../../shared/limits.ts'
import type { PatchTrigger, TriggerKind, TriggerOptions } from '../../shared/wire/trigger.ts'
import { readChainConfig, requireConfiguredChain } from '../chain/chain-config.ts'
import type { Chains } from '../../shared/config/chain-settings.ts'
import { checkSchedule } from '../schedule/check-schedule.ts'
import { endedReason } from '../schedule/schedule.ts'
import { scheduleConfig, withCanonicalZone } from '../schedule/schedule-config.ts'
import { denialOf, ruleFor } from './header-rules.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

type OptionName = keyof TriggerOptions

const EVERY_KIND: readonly OptionName[] = ['concurrency', 'filter', 'on_lost']

/** Options for events that belong together. The ticks of a schedule do not have different keys. */
const KEYS: readonly OptionName[] = ['concurrency_key', 'dedup_key', 'order_key']

/** Options that each kind of trigger supports. Other options are rejected, because they would have no effect. */
const OPTIONS: Record<TriggerKind, readonly OptionName[]> = {
  webhook: [
    ...EVERY_KIND,
    ...KEYS,
    'batch',
    'debounce_key',
    'debounce_ms',
    'dedup',
    'handshake',
    'pass_headers',
    'respond',
    'source',
  ],
  schedule: [...EVERY_KIND, 'misfire'],
  chain_event: [...EVERY_KIND, ...KEYS, 'finality'],
}

/**
 * @throws {TriggerRejectedError} if a field is not allowed for this kind of trigger; the error names the first such
 *   field
 */
export function requireAllowedFields(
  kind: TriggerKind,
  fields: Omit<PatchTrigger, 'kind'>,
  chains: Chains,
): void {
  const { config, options, action_code, default_params } = fields
  if (config && kind === 'chain_event')
    requireConfiguredChain(readChainConfig(config).chain, chains)
  else if (config) requireConfig(kind, config)
  if (options) requireOptions(kind, options)
  if (action_code !== undefined) requireSource('action_code', action_code)
  if (default_params) requireParams(default_params)
}

function requireConfig(kind: TriggerKind, config: Record<string, unknown>): void {
  if (kind === 'webhook' && Object.keys(config).length > 0)
    refuse('config', 'a webhook has no configuration', 'Send {} or omit config.')
  const wrong = kind === 'schedule' ? checkSchedule(config) : undefined
  if (wrong)
    refuse(
      wrong.field,
      wrong.problem,
      wrong.fix ?? 'Send {"cron": ...} with 5 fields, or 6 with seconds first.',
    )
}

/**
 * @param config a config that `requireAllowedFields` accepts
 * @throws {TriggerRejectedError} if a new schedule would never fire, because its time has passed
 */
export function requireFutureTick(
  kind: TriggerKind,
  config: Record<string, unknown>,
  now: number,
): void {
  if (kind !== 'schedule') return
  const schedule = scheduleConfig(withCanonicalZone(config))
  if (endedReason(schedule, now) === undefined) return
  const name = 'at' in schedule ? 'at' : 'ends_at'
  refuse(`config.${name}`, 'the schedule has no tick after the current time', 'Send a later time.')
}

/** Replaces equivalent values in a config, so that equal configs are stored alike. */
export function normalizeConfig(
  kind: TriggerKind,
  config: Record<string, unknown>,
): Record<string, unknown> {
  return kind === 'schedule' ? withCanonicalZone(config) : config
}

function requireOptions(kind: TriggerKind, options: TriggerOptions): void {
  for (const name of Object.keys(options) as OptionName[])
    if (!OPTIONS[kind].includes(name))
      refuse(
        `options.${name}`,
        `not an option of a ${kind}`,
        `A ${kind} supports ${OPTIONS[kind].join(', ')}.`,
      )
  requireCollectOptions(options)
  const { concurrency_key, dedup, dedup_key, order_key, pass_headers = [], source } = options
  if (concurrency_key !== undefined && order_key !== undefined)
    refuse(
      'options.concurrency_key',
      'cannot be combined with order_key',
      'Send only order_key, which also runs one at a time.',
    )
  if (dedup && dedup_key !== undefined)
    refuse('options.dedup_key', 'cannot be combined with dedup', 'Send only one of them.')
  if (
    typeof source === 'object' &&
    source.header !== 'authorization' &&
    ruleFor(source.header) === 'deny'
  )
    refuse(
      'options.source.header',
      `${source.header} cannot contain a signature`,
      'Name the header in which the sender sends its signature or secret.',
    )
  if (typeof dedup === 'object' && ruleFor(dedup.header.toLowerCase()) === 'deny')
    refuse(
      'options.dedup.header',
      'this header cannot identify a delivery',
      'Name a header that the sender repeats when it retries a delivery.',
    )
  for (const name of pass_headers) {
    const denial = denialOf(name)
    if (denial) refuse('options.pass_headers', `${name} ${DENIALS[denial]}`, DENIAL_FIXES[denial])
  }
}

function requireCollectOptions(options: TriggerOptions): void {
  const { batch, concurrency_key, debounce_key, debounce_ms, order_key } = options
  if (batch && debounce_ms !== undefined)
    refuse('options.batch', 'cannot be combined with debounce_ms', 'Send only one of them.')
  if (debounce_key !== undefined && debounce_ms === undefined)
    refuse('options.debounce_key', 'has no effect without debounce_ms', 'Send debounce_ms too.')
  const key = order_key === undefined ? 'concurrency_key' : 'order_key'
  if ((batch || debounce_ms !== undefined) && (concurrency_key ?? order_key) !== undefined)
    refuse(
      `options.${key}`,
      'cannot be combined with batch or debounce_ms',
      'Send only one of them.',
    )
}

const DENIALS = {
  credential: 'carries a credential and never reaches an action',
  transport: 'is set by proxies or the platform and never reaches an action',
}
const DENIAL_FIXES = {
  credential: 'Have the sender use another header, such as x-webhook-token.',
  transport: 'Name headers that the sender itself sets.',
}

/** @throws {TriggerRejectedError} */
export function requireSource(field: string, source: string): void {
  const bytes = utf8Bytes(source)
  if (bytes > TRIGGER_SOURCE_MAX_BYTES)
    refuse(field, tooLarge(bytes, TRIGGER_SOURCE_MAX_BYTES), 'Reduce the size of the source.')
}

function requireParams(params: Record<string, unknown>): void {
  if (isDeeperThan(params, JSON_DEPTH_MAX))
    refuse(
      'default_params',
      `nested more than ${JSON_DEPTH_MAX} levels deep`,
      'Reduce the nesting.',
    )
  const bytes = utf8Bytes(JSON.stringify(params))
  if (bytes > DEFAULT_PARAMS_MAX_BYTES)
    refuse(
      'default_params',
      tooLarge(bytes, DEFAULT_PARAMS_MAX_BYTES),
      'Keep large constants in the source.',
    )
}

export const utf8Bytes = (text: string) => new TextEncoder().encode(text).length
const tooLarge = (bytes: number, max: number) => `${bytes} bytes exceed the limit of ${max}`

function refuse(field: string, problem: string, fix: string): never {
  throw new TriggerRejectedError({ reason: 'field', field, problem, fix })
}
