import type { UsageKey } from '../../client/core/account.ts'
import { LIMIT_FIELDS, type LimitField } from '../../wire/limit-fields.ts'
import type { NewLimits } from '../../wire/usage-key-limits.ts'

/** Limits to set, and names of limits to remove. */
export type LimitChanges = { set: NewLimits; remove: readonly LimitField[] }

export type PlannedLimits = {
  changes: LimitChanges | undefined
  details: string[]
  permissions: string[]
}

/** Compares the limits of a key with those in the file. Without `limits` in the file, limits that were set by hand are kept. */
export function planLimits(
  name: string,
  wanted: NewLimits | undefined,
  found: Pick<UsageKey, LimitField>,
): PlannedLimits {
  const changed =
    wanted === undefined
      ? []
      : LIMIT_FIELDS.filter((field) => comparable(wanted[field]) !== comparable(found[field]))
  if (wanted === undefined || changed.length === 0)
    return { changes: undefined, details: [], permissions: [] }
  const words = (field: LimitField) =>
    `${field}: ${valueWords(found[field])} becomes ${valueWords(wanted[field])}`
  return {
    changes: {
      set: Object.fromEntries(
        changed.flatMap((field) => (isSet(wanted[field]) ? [[field, wanted[field]]] : [])),
      ),
      remove: changed.filter((field) => !isSet(wanted[field])),
    },
    details: changed.map(words),
    permissions: changed
      .filter((field) => isLooser(field, found[field], wanted[field]))
      .map((field) => `the key ${name} may be used more: ${words(field)}`),
  }
}

export function limitWords(limits: NewLimits = {}): string[] {
  return LIMIT_FIELDS.flatMap((field) =>
    isSet(limits[field]) ? [`${field}: ${valueWords(limits[field])}`] : [],
  )
}

type Value = NewLimits[LimitField] | null | readonly string[]

/** `false` is the default of `allow_triggers` and `can_read_account`. */
const isSet = (value: Value) => value !== undefined && value !== null && value !== false

/** Lists are sets, and times can have any offset. */
function comparable(value: Value): string {
  if (!isSet(value)) return ''
  if (Array.isArray(value)) return JSON.stringify([...new Set(value as string[])].toSorted())
  return typeof value === 'string' ? String(Date.parse(value)) : String(value)
}

const valueWords = (value: Value) => (isSet(value) ? JSON.stringify(value) : 'none')

function isLooser(field: LimitField, before: Value, after: Value): boolean {
  if (field === 'allow_triggers' || field === 'can_read_account') return isSet(after)
  if (!isSet(before)) return false
  if (!isSet(after)) return true
  if (Array.isArray(before) && Array.isArray(after))
    return (after as string[]).some((one) => !(before as string[]).includes(one))
  return orderOf(after) > orderOf(before)
}

const orderOf = (value: Value) => (typeof value === 'string' ? Date.parse(value) : Number(value))
