/** `config.where` of a chain event as text, such as `value >= 1000000`, for command lines and forms. */
import { tryParseJson } from '../json/try-parse-json.ts'

const CONDITION = /^\s*([A-Za-z_$][\w$]*)\s*(>=|<=|!=|=|>|<)(.*)$/s
const VALUE = /\s*("(?:[^"\\]|\\.)*"|[^",]*?)\s*(,|$)/sy

const OPERATORS: Record<string, string> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' }

/**
 * Parses conditions, one in each text. Several values are separated by commas; a value in double quotes is a JSON
 * string.
 * @returns the value of `config.where`, or the problem with a condition
 */
export function parseWhere(
  texts: readonly string[],
): { where: Record<string, Record<string, unknown>> } | { problem: string } {
  const where = new Map<string, Record<string, unknown>>()
  for (const text of texts) {
    const [, name, symbol, rest] = CONDITION.exec(text) ?? []
    const values = rest === undefined ? undefined : valuesOf(rest)
    const shown = JSON.stringify(text.trim().slice(0, 64))
    if (name === undefined || symbol === undefined || values === undefined)
      return { problem: `${shown} is not a condition such as value >= 1000000 or to = 0x...` }
    const isList = symbol === '!=' || (symbol === '=' && values.length > 1)
    const operator = OPERATORS[symbol] ?? (symbol === '!=' ? 'not_in' : isList ? 'in' : 'eq')
    if (!isList && values.length > 1) return { problem: `${shown}: ${symbol} takes one value` }
    const conditions = where.get(name) ?? {}
    if (operator in conditions || (symbol === '=' && ('eq' in conditions || 'in' in conditions)))
      return { problem: `${shown}: ${name} already has a condition with ${symbol}` }
    where.set(name, { ...conditions, [operator]: isList ? values : values[0] })
  }
  return { where: Object.fromEntries(where) }
}

function valuesOf(text: string): string[] | undefined {
  const values: string[] = []
  VALUE.lastIndex = 0
  for (;;) {
    const match = VALUE.exec(text)
    if (!match) return undefined
    const [, value = '', end] = match
    const parsed = value.startsWith('"') ? tryParseJson(value) : value
    if (typeof parsed !== 'string' || value === '') return undefined
    values.push(parsed)
    if (end === '') return values
  }
}

/** Inverse of `parseWhere`. Returns undefined if the conditions have no such text. */
export function whereTexts(where: unknown): string[] | undefined {
  if (!isObject(where)) return undefined
  const texts: string[] = []
  for (const [name, conditions] of Object.entries(where)) {
    if (!isObject(conditions)) return undefined
    for (const [operator, operand] of Object.entries(conditions)) {
      const symbol = Object.hasOwn(SYMBOLS, operator) ? SYMBOLS[operator] : undefined
      if (symbol === undefined) return undefined
      const values = Array.isArray(operand) ? operand : [operand]
      texts.push(`${name} ${symbol} ${values.map(valueText).join(', ')}`)
    }
  }
  return texts
}

const SYMBOLS: Record<string, string> = {
  eq: '=',
  in: '=',
  not_in: '!=',
  gte: '>=',
  lte: '<=',
  gt: '>',
  lt: '<',
}

function valueText(value: unknown): string {
  const text = String(value)
  return text === '' || text !== text.trim() || /[",\n\r]/.test(text) ? JSON.stringify(text) : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
