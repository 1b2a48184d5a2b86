import { WHERE_MAX_BYTES, WHERE_VALUES_MAX } from '../../../shared/limits.ts'
import type { EventInput, EventSignature } from '../signature/event-signature.ts'
import { type ComparableType, exampleOf, isComparable, readValue, topicOf } from './where-value.ts'
import { WHERE_OPERATORS, type WhereCondition, type WhereOperator } from './where-filter.ts'

export type WhereProblem = { field: string; problem: string; fix: string }

const FIX =
  'Send an object of conditions by argument, such as {"value": {"gte": "1000000"}, "to": {"in": ["0x..."]}}.'

/** Returns the conditions of `config.where`, which are checked against the types of the event's arguments. */
export function readWhere(
  where: unknown,
  signature: EventSignature,
): WhereCondition[] | WhereProblem {
  const field = 'config.where'
  if (where === undefined || where === null) return []
  if (!isObject(where)) return { field, problem: 'expected an object', fix: FIX }
  const bytes = new TextEncoder().encode(JSON.stringify(where)).length
  if (bytes > WHERE_MAX_BYTES)
    return {
      field,
      problem: `${bytes} bytes exceed the limit of ${WHERE_MAX_BYTES}`,
      fix: 'Send fewer conditions, or select events in the action.',
    }
  const conditions: WhereCondition[] = []
  for (const [name, given] of Object.entries(where)) {
    const read = readArgument(name, given, signature)
    if ('problem' in read) return { ...read, field: `${field}.${name.slice(0, 64)}${read.field}` }
    conditions.push(...read)
  }
  return conditions
}

function readArgument(
  name: string,
  given: unknown,
  { inputs }: EventSignature,
): WhereCondition[] | WhereProblem {
  const wrong = (problem: string, fix = FIX, field = '') => ({ field, problem, fix })
  const argument = argumentOf(name, inputs)
  if (argument === 'ambiguous')
    return wrong('several arguments have this name', 'Use arg0, arg1 and so on.')
  if (argument === undefined) {
    const known = inputs.map((input, at) => input.name ?? `arg${at}`).join(', ')
    return wrong(
      'the event has no such argument',
      known === '' ? 'Omit where: the event has no arguments.' : `Use one of ${known}.`,
    )
  }
  const { type, canonical } = inputs[argument]!
  if (!isComparable(type))
    return wrong(
      `${canonical} cannot be compared`,
      'Use conditions on integers, addresses, bools, strings and bytes1 to bytes32, or options.filter.',
    )
  if (!isObject(given) || Object.keys(given).length === 0)
    return wrong('expected an object with at least one operator')
  const conditions: WhereCondition[] = []
  for (const [operator, operand] of Object.entries(given)) {
    const field = `.${operator.slice(0, 64)}`
    if (!isOperator(operator))
      return wrong('unknown operator', `Use one of ${WHERE_OPERATORS.join(', ')}.`, field)
    if (isOrder(operator) && type.kind !== 'uint' && type.kind !== 'int')
      return wrong(`${canonical} has no order`, 'Use eq, in or not_in.', field)
    const values = readValues(operator, operand, type)
    if ('problem' in values) return { ...values, field: `${field}${values.field}` }
    conditions.push({ argument, operator, values })
  }
  return conditions
}

export function argumentOf(
  name: string,
  inputs: readonly EventInput[],
): number | 'ambiguous' | undefined {
  const named = [...inputs.keys()].filter((at) => inputs[at]!.name === name)
  if (named.length > 1) return 'ambiguous'
  if (named.length === 1) return named[0]
  const at = /^arg(0|[1-9]\d?)$/.exec(name)?.[1]
  return at !== undefined && Number(at) < inputs.length ? Number(at) : undefined
}

function readValues(
  operator: WhereOperator,
  operand: unknown,
  type: ComparableType,
): string[] | WhereProblem {
  if (operator !== 'in' && operator !== 'not_in') {
    const value = readValue(operand, type)
    return typeof value === 'string' ? [value] : { ...value, field: '' }
  }
  if (!Array.isArray(operand) || operand.length === 0 || operand.length > WHERE_VALUES_MAX)
    return {
      field: '',
      problem: `expected an array of 1 to ${WHERE_VALUES_MAX} values`,
      fix: `Send an array, such as ["${exampleOf(type)}"].`,
    }
  const values = new Set<string>()
  for (const [at, one] of operand.entries()) {
    const value = readValue(one, type)
    if (typeof value !== 'string') return { ...value, field: `[${at}]` }
    values.add(value)
  }
  return [...values]
}

/**
 * Returns the allowed values of each topic after the first that follow from `eq` and `in` conditions on indexed
 * arguments, so that nodes return fewer logs. Null allows any value. Requires a signature that marks its indexed
 * arguments.
 */
export function topicsOfConditions(
  conditions: readonly WhereCondition[],
  { inputs }: Pick<EventSignature, 'inputs'>,
): (readonly string[] | null)[] {
  const indexed = [...inputs.keys()].filter((at) => inputs[at]!.indexed)
  return indexed.map((at) => {
    const equal = conditions.find(
      ({ argument, operator }) => argument === at && (operator === 'eq' || operator === 'in'),
    )
    const { type } = inputs[at]!
    return equal && isComparable(type) ? equal.values.map((value) => topicOf(value, type)) : null
  })
}

const isOrder = (operator: WhereOperator) => /^[gl]te?$/.test(operator)

const isOperator = (text: string): text is WhereOperator =>
  (WHERE_OPERATORS as readonly string[]).includes(text)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
