import type { z } from 'zod'
import type { CompileError } from '../../../compile-check/compile-error.ts'
import { TriggerRejectedError } from '../../../triggers/trigger-rejected-error.ts'
import { toApiError } from '../../../http/failure.ts'
import {
  FACTORY_FIELDS,
  FORM_FIELDS,
  TOPIC_FIELDS,
  TRANSACTION_FIELDS,
  type TriggerFieldName,
  type TriggerFormFields,
} from './trigger-form-fields.ts'

/** Problems keyed by form field. The key `form` is used for problems that do not belong to a field. */
export type Problems = Partial<Record<TriggerFieldName | 'form', string>>

export type FormValues = { fields: TriggerFormFields; problems: Problems }

export const controlProps = ({ fields, problems }: FormValues, name: TriggerFieldName) => ({
  name,
  value: fields[name],
  error: problems[name],
})

export const hasProblems = (problems: Problems) => Object.keys(problems).length > 0

export function problemsOfIssues(issues: readonly z.core.$ZodIssue[]): Problems {
  const problems: Problems = {}
  for (const issue of issues) problems[formFieldOf(issue.path.join('.'))] ??= describeIssue(issue)
  return problems
}

export const compileProblem = ({ message, line, column }: CompileError): string =>
  `Line ${line}, column ${column}: ${message}.`

/** Returns the problems of a body that matches the schema, but was rejected. */
export function problemsOfRefusal(error: TriggerRejectedError): Problems {
  const { failure } = error
  if (failure.reason === 'account_key') return { usage_api_key: ACCOUNT_KEY_PROBLEM }
  const { message, fix } = toApiError(error)
  const [, path = '', problem = message] = /^([a-z_]+[^\s:]*): (.*)$/s.exec(message) ?? []
  const field = formFieldOf(path)
  const own = /^(Send 0x|Omit it:)/.test(fix) ? undefined : FIXES[field]
  return { [field]: `${capitalize(problem)} ${own ?? fix}` }
}

const TOPIC_FIX =
  'Enter a topic: 0x followed by 64 hex digits. To match any of several topics, separate them with spaces.'

/**
 * Advice for the fields. It replaces the API's advice, which refers to the JSON body, unless the API proposes a
 * specific value.
 */
const FIXES: Problems = {
  ...Object.fromEntries(TOPIC_FIELDS.map((name) => [name, TOPIC_FIX])),
  usage_key_of: 'Choose another trigger, or enter a usage key.',
  cron: 'Enter five fields, or six fields with seconds first.',
  event_signature:
    'Enter the event as declared in the contract, such as Transfer(address,address,uint256).',
}

const ACCOUNT_KEY_PROBLEM =
  'This is an account key, which can do everything in its account. Create a usage key for this trigger in the console, under Usage keys.'

/**
 * Maps a path in the JSON body to a form field. For example, `config.topic_filters[1][0]` is mapped to the field of the
 * second topic. A path without a field is mapped to `form`.
 */
function formFieldOf(path: string): TriggerFieldName | 'form' {
  const [head, inner] = path.split('.')
  const isInner = head === 'config' || head === 'options'
  const name = ((isInner ? inner : head) ?? '').replace(/\[.*$/s, '')
  if (name === 'topic_filters') {
    const at = Number(/(?:\[|topic_filters\.)(\d)/.exec(path)?.[1] ?? 0)
    return TOPIC_FIELDS[at] ?? TOPIC_FIELDS[0]
  }
  if (path.startsWith('options.dedup.')) return 'dedup_header'
  if (name === 'blocks') return 'blocks_every'
  if (name === 'factory') return factoryField(path)
  if (name === 'transactions') return transactionField(path)
  if (name === 'batch') return path.endsWith('max_ms') ? 'batch_ms' : 'batch_events'
  if (path.startsWith('options.source.')) return 'source_header'
  return (FORM_FIELDS as readonly string[]).includes(name) ? (name as TriggerFieldName) : 'form'
}

function factoryField(path: string): TriggerFieldName {
  const key = /^config\.factory\.([a-z_]+)/.exec(path)?.[1]
  return FACTORY_FIELDS.find((name) => name === `factory_${key}`) ?? 'factory_address'
}

function transactionField(path: string): TriggerFieldName {
  const key = /^config\.transactions\.([a-z_]+)/.exec(path)?.[1]
  return TRANSACTION_FIELDS.find((name) => name === `transactions_${key}`) ?? 'transactions_to'
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : ''
  if (issue.code === 'too_big') return `At most ${issue.maximum}${unit}.`
  if (issue.code === 'too_small')
    return unit !== '' && issue.minimum === 1
      ? 'This field is required.'
      : `At least ${issue.minimum}${unit}.`
  return `${capitalize(issue.message)}.`
}

const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
