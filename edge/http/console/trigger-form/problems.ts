/** Maps validation errors to form fields: the API's errors name fields of a JSON body, which the form does not show. */
import type { z } from 'zod'
import { TriggerRefused } from '../../../triggers/trigger-refused.ts'
import { toApiError } from '../../failure.ts'
import { FORM_FIELDS, TOPIC_FIELDS, type TriggerField } from './fields.ts'

/** `form` is for problems that belong to no field. */
export type Problems = Partial<Record<TriggerField | 'form', string>>

export const isRefused = (problems: Problems) => Object.keys(problems).length > 0

export function problemsOfIssues(issues: readonly z.core.$ZodIssue[]): Problems {
  const problems: Problems = {}
  for (const issue of issues) problems[fieldOf(issue.path.join('.'))] ??= inWords(issue)
  return problems
}

/** Maps the error of a body that matches the schema but is invalid for the trigger's kind. */
export function problemsOfRefusal(error: TriggerRefused): Problems {
  const { failure } = error
  if (failure.reason === 'account_key') return { usage_api_key: ACCOUNT_KEY }
  const { message, fix } = toApiError(error)
  const [, path = '', problem = message] = /^([a-z_]+[^\s:]*): (.*)$/s.exec(message) ?? []
  const field = fieldOf(path)
  const own = fix.startsWith('Send 0x') ? undefined : FIXES[field]
  return { [field]: `${capitalised(problem)} ${own ?? fix}` }
}

const TOPIC_FIX = 'Enter 0x and 64 hex digits; several stand apart by blanks.'

/** Advice in terms of the form, instead of the API's. The API's advice is kept if it proposes a concrete value. */
const FIXES: Problems = {
  ...Object.fromEntries(TOPIC_FIELDS.map((name) => [name, TOPIC_FIX])),
  cron: 'Enter five fields, or six with seconds in front, in UTC.',
  event_signature:
    'Enter the event as its contract declares it, such as Transfer(address,address,uint256).',
}

const ACCOUNT_KEY =
  'This is the key of an account, which can do everything in it. Make a usage key for this trigger: in the console, under Usage keys.'

/**
 * Returns the field of a path in the API's body: `config.topic_filters[1][0]` becomes the second topic. Paths without a
 * field of their own become `form`.
 */
export function fieldOf(path: string): TriggerField | 'form' {
  const [head, inner] = path.split('.')
  const isInner = head === 'config' || head === 'options'
  const name = ((isInner ? inner : head) ?? '').replace(/\[.*$/s, '')
  if (name === 'topic_filters') {
    const at = Number(/(?:\[|topic_filters\.)(\d)/.exec(path)?.[1] ?? 0)
    return TOPIC_FIELDS[at] ?? TOPIC_FIELDS[0]
  }
  if (path.startsWith('options.dedup.')) return 'dedup_header'
  return (FORM_FIELDS as readonly string[]).includes(name) ? (name as TriggerField) : 'form'
}

function inWords(issue: z.core.$ZodIssue): string {
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : ''
  if (issue.code === 'too_big') return `At most ${issue.maximum}${unit}.`
  if (issue.code === 'too_small')
    return unit !== '' && issue.minimum === 1
      ? 'This is missing.'
      : `At least ${issue.minimum}${unit}.`
  return `${capitalised(issue.message)}.`
}

const capitalised = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
