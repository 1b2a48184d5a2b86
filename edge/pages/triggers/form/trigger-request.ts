/** Converts form fields to the API's JSON body, so that the form and the API share the same validation. */
import { MAX_RUNS_PER_MINUTE_DEFAULT } from '../../../../shared/limits.ts'
import { parseWhere } from '../../../../shared/wire/where-text.ts'
import { defaultQueuedRuns, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { TOPIC_FIELDS, type TriggerFormFields } from './trigger-form-fields.ts'
import type { Problems } from './problems.ts'

type FormRequest<Body> = { body: Body; problems: Problems }

type ConfigBody = { config: Record<string, unknown>; options: Record<string, unknown> }
type TriggerBody = ConfigBody & {
  name: string
  action_code: string
  usage_api_key: string
  webhook_secret?: string
  default_params: unknown
  max_runs_per_minute: number
  max_queued_runs: number
}

export function toTriggerConfig(
  kind: TriggerKind,
  fields: TriggerFormFields,
): FormRequest<ConfigBody> {
  const problems: Problems = {}
  const number = (name: keyof TriggerFormFields) => parseWholeNumber(fields, name, problems)
  const { chain, contract_address, event_signature, start_block } = fields
  const concurrency = number('concurrency')
  const keys = {
    dedup_key: fields.dedup_key.trim(),
    concurrency_key: fields.concurrency_key.trim(),
    order_key: fields.order_key.trim(),
  }
  const request = (config: Record<string, unknown>, more: Record<string, unknown>) => {
    const filter = fields.filter.trim()
    const options = omitEmpty({ concurrency, filter, on_lost: fields.on_lost, ...more })
    return { body: { config, options }, problems }
  }
  switch (kind) {
    case 'webhook': {
      const { dedup, dedup_header: header, handshake } = fields
      if (dedup === 'header' && header.trim() === '')
        problems.dedup_header = 'Enter the name of the header that contains the delivery ID.'
      const names = splitWords(fields.pass_headers)
      const pass_headers = names.length > 0 ? names : undefined
      const how = dedup === 'known' ? true : dedup === 'header' ? { header: header.trim() } : ''
      const max_events = number('batch_events')
      const max_ms = number('batch_ms')
      const hasBatch = fields.batch_events.trim() !== '' || fields.batch_ms.trim() !== ''
      if (hasBatch && max_events === undefined)
        problems.batch_events ??= 'Enter the maximum number of events.'
      if (hasBatch && max_ms === undefined)
        problems.batch_ms ??= 'Enter the maximum time in milliseconds.'
      const batch = hasBatch ? { max_events, max_ms } : undefined
      const debounce = {
        debounce_ms: number('debounce_ms'),
        debounce_key: fields.debounce_key.trim(),
      }
      const source = sourceOf(fields, problems)
      const { respond } = fields
      const more = {
        dedup: how,
        handshake,
        pass_headers,
        respond,
        source,
        ...keys,
        ...debounce,
        batch,
      }
      return request({}, more)
    }
    case 'schedule':
      return request(scheduleOf(fields, number('jitter_s'), problems), { misfire: fields.misfire })
    case 'chain_event': {
      const finality = fields.finality === 'blocks' ? number('finality_blocks') : fields.finality
      if (fields.finality === 'blocks' && fields.finality_blocks.trim() === '')
        problems.finality_blocks = 'Enter the number of blocks.'
      if (fields.blocks_every.trim() !== '')
        return request(insteadOfEvent(fields, { blocks: { every: number('blocks_every') } }), {
          finality,
          ...keys,
        })
      const transactions = transactionsOf(fields)
      if (Object.keys(transactions).length > 0)
        return request(insteadOfEvent(fields, { transactions }), { finality, ...keys })
      const factory = factoryOf(fields)
      const isOnFactory = Object.keys(factory).length > 0
      if (contract_address.trim() === '' && !isOnFactory)
        problems.contract_address = 'Enter the address of the contract.'
      if (event_signature.trim() === '')
        problems.event_signature = 'Enter the event, such as Transfer(address,address,uint256).'
      const further = splitWords(fields.addresses)
      const contract = contract_address.trim()
      const config = omitEmpty({
        chain,
        ...(further.length > 0
          ? { addresses: [contract, ...further] }
          : { contract_address: contract }),
        factory: isOnFactory ? factory : undefined,
        event_signature: event_signature.trim(),
        start_block: parseBlock(start_block.trim()),
      })
      const topics = parseTopics(fields)
      const where = conditionsOf(fields, problems)
      return request(
        {
          ...config,
          ...(topics.length > 0 && { topic_filters: topics }),
          ...(where && { where }),
        },
        { finality, ...keys },
      )
    }
  }
}

/** Fields of an event are passed on, so that the validation of the API rejects them. */
function insteadOfEvent(
  fields: TriggerFormFields,
  what: { blocks: object } | { transactions: object },
): Record<string, unknown> {
  const topics = parseTopics(fields)
  return omitEmpty({
    chain: fields.chain,
    ...what,
    contract_address: fields.contract_address.trim(),
    addresses: fields.addresses.trim(),
    event_signature: fields.event_signature.trim(),
    topic_filters: topics.length > 0 ? topics : undefined,
    where: fields.where.trim(),
    start_block: parseBlock(fields.start_block.trim()),
  })
}

function factoryOf(fields: TriggerFormFields): Record<string, unknown> {
  return omitEmpty({
    address: fields.factory_address.trim(),
    event: fields.factory_event.trim(),
    parameter: fields.factory_parameter.trim(),
  })
}

function transactionsOf(fields: TriggerFormFields): Record<string, unknown> {
  const words = (text: string) => {
    const found = splitWords(text)
    return found.length > 1 ? found : (found[0] ?? '')
  }
  return omitEmpty({
    to: words(fields.transactions_to),
    from: words(fields.transactions_from),
    selector: words(fields.transactions_selector),
    min_value: fields.transactions_min_value.trim(),
    status: fields.transactions_status,
  })
}

/** If both a cron expression and a time are given, the validation of the API rejects them. */
function scheduleOf(
  { cron, timezone, at, starts_at, ends_at }: TriggerFormFields,
  jitter_s: number | undefined,
  problems: Problems,
): Record<string, unknown> {
  const isOneOff = at.trim() !== ''
  if (!isOneOff && cron.trim() === '')
    problems.cron = 'Enter a cron expression, such as 0 9 * * 1-5.'
  const times = { timezone, at, starts_at, ends_at }
  const trimmed = Object.entries(times).map(([name, text]) => [name, text.trim()])
  return omitEmpty({
    cron: cron.trim() === '' ? '' : cron,
    ...Object.fromEntries(trimmed),
    jitter_s,
  })
}

/** An empty usage key remains an empty string. */
export function toTriggerRequest(
  kind: TriggerKind,
  fields: TriggerFormFields,
): FormRequest<TriggerBody> {
  const { body: config, problems } = toTriggerConfig(kind, fields)
  if (fields.name.trim() === '') problems.name = 'Enter a name.'
  if (fields.action_code.trim() === '')
    problems.action_code = 'Enter the source of the action. It must define a function main.'
  const body: TriggerBody = {
    ...config,
    name: fields.name,
    action_code: fields.action_code,
    usage_api_key: fields.usage_api_key.trim(),
    ...(fields.webhook_secret !== '' && { webhook_secret: fields.webhook_secret }),
    default_params: parseDefaultParams(fields, problems),
    max_runs_per_minute:
      parseWholeNumber(fields, 'max_runs_per_minute', problems) ?? MAX_RUNS_PER_MINUTE_DEFAULT,
    max_queued_runs:
      parseWholeNumber(fields, 'max_queued_runs', problems) ?? defaultQueuedRuns(kind),
  }
  return { body, problems }
}

/** A source that the form does not know is refused by the schema. */
function sourceOf(fields: TriggerFormFields, problems: Problems): unknown {
  const { source, source_header, source_encoding: encoding, source_prefix } = fields
  if (source !== 'hmac_sha256' && source !== 'token') return source
  const header = source_header.trim()
  if (header === '')
    problems.source_header = 'Enter the header in which the sender sends its signature or secret.'
  if (source === 'token') return { type: source, header }
  return { type: source, header, ...omitEmpty({ encoding, prefix: source_prefix.trim() }) }
}

function parseDefaultParams(
  { default_params: text }: TriggerFormFields,
  problems: Problems,
): unknown {
  if (text.trim() === '') return {}
  try {
    const params: unknown = JSON.parse(text)
    if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params
    problems.default_params = 'Enter a JSON object, such as {"name": "value"}.'
  } catch (error) {
    problems.default_params = `Invalid JSON: ${error instanceof Error ? error.message : 'it does not parse'}`
  }
}

/** @returns `undefined` if the field is empty or invalid; if it is invalid, also records a problem */
function parseWholeNumber(
  fields: TriggerFormFields,
  name: keyof TriggerFormFields,
  problems: Problems,
): number | undefined {
  const text = fields[name].trim()
  if (text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  problems[name] = 'Enter a whole number.'
}

/**
 * Parses a block number. Up to 15 digits are converted to a number, as the API expects. Any other text is returned
 * unchanged.
 */
function parseBlock(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}

/** A field contains topics separated by spaces or commas, and matches any of them. An empty field matches every log. */
function parseTopics(fields: TriggerFormFields): (string | string[] | null)[] {
  const entries = TOPIC_FIELDS.map((name) => {
    const topics = splitWords(fields[name])
    return topics.length > 1 ? topics : (topics[0] ?? null)
  })
  while (entries.at(-1) === null) entries.pop()
  return entries
}

/** Each line is a condition. */
function conditionsOf(
  fields: TriggerFormFields,
  problems: Problems,
): Record<string, unknown> | undefined {
  const lines = fields.where.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  const read = parseWhere(lines)
  if ('where' in read) return read.where
  problems.where = `${read.problem}.`
}

const splitWords = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')

function omitEmpty(values: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined)
  return Object.fromEntries(given)
}
