/** What the fields of a form ask the API for: the same body that a program would send, checked by the same rules. */
import { MAX_RUNS_PER_MINUTE_DEFAULT } from '../../../../shared/limits.ts'
import { defaultQueuedRuns, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { TOPIC_FIELDS, type TriggerFields } from './fields.ts'
import type { Problems } from './problems.ts'

/** A body that is not judged yet, and what is no such body at all. */
export type Asked<Body> = { body: Body; problems: Problems }

export type ConfigBody = { config: Record<string, unknown>; options: Record<string, unknown> }
export type TriggerBody = ConfigBody & {
  name: string
  action_code: string
  usage_api_key: string
  default_params: unknown
  max_runs_per_minute: number
  max_queued_runs: number
}

/** Of a kind: fields that it has no use for are not looked at. */
export function configOf(kind: TriggerKind, fields: TriggerFields): Asked<ConfigBody> {
  const problems: Problems = {}
  const number = (name: keyof TriggerFields) => wholeNumber(fields, name, problems)
  const { cron, chain, contract_address, event_signature, start_block } = fields
  const options = present({
    concurrency: number('concurrency'),
    on_lost: fields.on_lost,
  })
  switch (kind) {
    case 'webhook': {
      const { dedup, dedup_header: header, handshake } = fields
      if (dedup === 'header' && header.trim() === '')
        problems.dedup_header = 'Name the header that has the delivery’s id.'
      const names = wordsOf(fields.pass_headers)
      const pass_headers = names.length > 0 ? names : undefined
      const how = dedup === 'known' ? true : dedup === 'header' ? { header: header.trim() } : ''
      return {
        body: {
          config: {},
          options: { ...options, ...present({ dedup: how, handshake, pass_headers }) },
        },
        problems,
      }
    }
    case 'schedule':
      if (cron.trim() === '') problems.cron = 'Enter a cron, such as 0 9 * * 1-5.'
      return {
        body: {
          config: { cron },
          options: { ...options, ...present({ misfire: fields.misfire }) },
        },
        problems,
      }
    case 'chain_event': {
      if (contract_address.trim() === '')
        problems.contract_address = 'Enter the contract’s address.'
      if (event_signature.trim() === '')
        problems.event_signature = 'Enter the event, such as Transfer(address,address,uint256).'
      const config = present({
        chain,
        contract_address: contract_address.trim(),
        event_signature: event_signature.trim(),
        start_block: blockOf(start_block.trim()),
      })
      const topics = topicsOf(fields)
      const finality = fields.finality === 'blocks' ? number('finality_blocks') : fields.finality
      if (fields.finality === 'blocks' && fields.finality_blocks.trim() === '')
        problems.finality_blocks = 'Enter how many blocks.'
      return {
        body: {
          config: topics.length > 0 ? { ...config, topic_filters: topics } : config,
          options: { ...options, ...present({ finality }) },
        },
        problems,
      }
    }
  }
}

/** All that a form says. An empty usage key is the empty text. */
export function requestOf(kind: TriggerKind, fields: TriggerFields): Asked<TriggerBody> {
  const { body: config, problems } = configOf(kind, fields)
  if (fields.name.trim() === '') problems.name = 'Enter a name, by which you will know it.'
  if (fields.action_code.trim() === '')
    problems.action_code = 'Enter the source of the action: it defines a function main.'
  const body: TriggerBody = {
    ...config,
    name: fields.name,
    action_code: fields.action_code,
    usage_api_key: fields.usage_api_key.trim(),
    default_params: paramsOf(fields, problems),
    max_runs_per_minute:
      wholeNumber(fields, 'max_runs_per_minute', problems) ?? MAX_RUNS_PER_MINUTE_DEFAULT,
    max_queued_runs: wholeNumber(fields, 'max_queued_runs', problems) ?? defaultQueuedRuns(kind),
  }
  return { body, problems }
}

function paramsOf({ default_params: text }: TriggerFields, problems: Problems): unknown {
  if (text.trim() === '') return {}
  try {
    const params: unknown = JSON.parse(text)
    if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params
    problems.default_params = 'Enter a JSON object: names and values between { and }.'
  } catch (error) {
    problems.default_params = `This is not JSON: ${error instanceof Error ? error.message : 'it does not parse'}`
  }
}

/** @returns `undefined` for an empty field, and for one that is no number, which is a problem of it */
function wholeNumber(
  fields: TriggerFields,
  name: keyof TriggerFields,
  problems: Problems,
): number | undefined {
  const text = fields[name].trim()
  if (text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  problems[name] = 'Enter a whole number.'
}

/** As the API takes it: digits as a number where it holds them exactly. */
function blockOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}

/** Topics of one field stand apart by blanks or commas: any of them. An empty field is anything. */
function topicsOf(fields: TriggerFields): (string | string[] | null)[] {
  const entries = TOPIC_FIELDS.map((name) => {
    const topics = wordsOf(fields[name])
    return topics.length > 1 ? topics : (topics[0] ?? null)
  })
  while (entries.at(-1) === null) entries.pop()
  return entries
}

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')

/** Without what was left empty. */
function present(values: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined)
  return Object.fromEntries(given)
}
