import { blockInterval } from '../block-interval.ts'
import { shownFactory } from '../factory-config.ts'
import { shownTransactions } from '../transaction-config.ts'
import { MAX_RUNS_PER_MINUTE_DEFAULT, TOPIC_FILTERS_MAX } from '../../../../shared/limits.ts'
import { whereTexts } from '../../../../shared/wire/where-text.ts'
import {
  defaultQueuedRuns,
  type TriggerKind,
  type TriggerRecord,
} from '../../../../shared/wire/trigger.ts'

export const TOPIC_FIELDS = ['topic1', 'topic2', 'topic3'] as const satisfies {
  length: typeof TOPIC_FILTERS_MAX
}

export const TRANSACTION_FIELDS = [
  'transactions_to',
  'transactions_from',
  'transactions_selector',
  'transactions_min_value',
  'transactions_status',
] as const

export const FACTORY_FIELDS = ['factory_address', 'factory_event', 'factory_parameter'] as const

/** Fields that the live check sends. The source, the params and the usage key are not sent. */
export const CHECKED_FIELDS = [
  'cron',
  'timezone',
  'at',
  'starts_at',
  'ends_at',
  'jitter_s',
  'chain',
  'contract_address',
  'event_signature',
  'blocks_every',
  ...FACTORY_FIELDS,
  ...TRANSACTION_FIELDS,
  'start_block',
  ...TOPIC_FIELDS,
  'where',
  'finality',
  'finality_blocks',
  'filter',
  'dedup_key',
  'concurrency_key',
  'order_key',
] as const

export const FORM_FIELDS = [
  'name',
  'action_code',
  'usage_api_key',
  'usage_key_of',
  'default_params',
  'max_runs_per_minute',
  'max_queued_runs',
  'concurrency',
  'on_lost',
  'dedup',
  'dedup_header',
  'handshake',
  'pass_headers',
  'source',
  'source_header',
  'source_encoding',
  'source_prefix',
  'webhook_secret',
  'respond',
  'addresses',
  'misfire',
  'debounce_ms',
  'debounce_key',
  'batch_events',
  'batch_ms',
  ...CHECKED_FIELDS,
] as const
export type TriggerFieldName = (typeof FORM_FIELDS)[number]
export type TriggerFormFields = Record<TriggerFieldName, string>

const MULTILINE_FIELDS: readonly string[] = ['action_code', 'addresses', 'default_params', 'where']

export function defaultFields(kind: TriggerKind): TriggerFormFields {
  return {
    ...fieldsFrom(() => undefined),
    max_runs_per_minute: String(MAX_RUNS_PER_MINUTE_DEFAULT),
    max_queued_runs: String(defaultQueuedRuns(kind)),
  }
}

/**
 * Reads the form fields, and normalizes line endings. Browsers send CR LF, which would change the action's CID, and
 * permissions refer to actions by their CIDs.
 */
export function fieldsFrom(value: (name: TriggerFieldName) => unknown): TriggerFormFields {
  const entries = FORM_FIELDS.map((name) => {
    const given = value(name)
    const text = typeof given === 'string' ? given.replace(/\r\n?/g, '\n') : ''
    return [name, MULTILINE_FIELDS.includes(name) ? text : text.replaceAll('\n', '')]
  })
  return Object.fromEntries(entries) as TriggerFormFields
}

/** The usage key and the webhook secret are empty, because they cannot be read back. */
export function fieldsOfRecord(record: TriggerRecord): TriggerFormFields {
  const { config, options } = record
  const { dedup, finality, source } = options
  const topics = Array.isArray(config.topic_filters) ? config.topic_filters : []
  const contracts: unknown[] = Array.isArray(config.addresses)
    ? config.addresses
    : [config.contract_address]
  const transactions = shownTransactions(config)
  const factory = shownFactory(config)
  const texts: Partial<Record<TriggerFieldName, unknown>> = {
    name: record.name,
    action_code: record.action_code,
    default_params: JSON.stringify(record.default_params, null, 2),
    max_runs_per_minute: String(record.max_runs_per_minute),
    max_queued_runs: String(record.max_queued_runs),
    concurrency: options.concurrency?.toString(),
    on_lost: options.on_lost,
    handshake: options.handshake,
    respond: options.respond,
    pass_headers: options.pass_headers?.join(' '),
    misfire: options.misfire,
    debounce_ms: options.debounce_ms?.toString(),
    debounce_key: options.debounce_key,
    batch_events: options.batch?.max_events.toString(),
    batch_ms: options.batch?.max_ms.toString(),
    filter: options.filter,
    dedup_key: options.dedup_key,
    concurrency_key: options.concurrency_key,
    order_key: options.order_key,
    ...(typeof source === 'object'
      ? {
          source: source.type,
          source_header: source.header,
          ...(source.type === 'hmac_sha256' && {
            source_encoding: source.encoding === 'base64' ? 'base64' : '',
            source_prefix: source.prefix,
          }),
        }
      : { source }),
    cron: config.cron,
    timezone: config.timezone,
    at: config.at,
    starts_at: config.starts_at,
    ends_at: config.ends_at,
    jitter_s: typeof config.jitter_s === 'number' ? String(config.jitter_s) : undefined,
    chain: config.chain,
    contract_address: contracts[0],
    addresses: contracts.slice(1).join('\n'),
    event_signature: config.event_signature,
    blocks_every: blockInterval(config)?.toString(),
    factory_address: factory?.address,
    factory_event: factory?.event,
    factory_parameter: factory?.parameter,
    transactions_to: transactions?.to,
    transactions_from: transactions?.from,
    transactions_selector: transactions?.selector,
    transactions_min_value: transactions?.min_value,
    transactions_status: transactions?.status === 'success' ? '' : transactions?.status,
    start_block:
      typeof config.start_block === 'number' ? String(config.start_block) : config.start_block,
    where: whereTexts(config.where)?.join('\n'),
    ...(dedup === true && { dedup: 'known' }),
    ...(typeof dedup === 'object' && { dedup: 'header', dedup_header: dedup.header }),
    ...(typeof finality === 'number'
      ? { finality: 'blocks', finality_blocks: String(finality) }
      : { finality }),
  }
  for (const [at, name] of TOPIC_FIELDS.entries()) {
    const entry: unknown = topics[at]
    texts[name] = Array.isArray(entry) ? entry.join(' ') : entry
  }
  return fieldsFrom((name) => texts[name])
}
