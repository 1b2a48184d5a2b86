/**
 * Finds values whose names the specifications leave open. Each function says what it tolerates;
 * where the contract names a field, the client reads that field and none of these.
 */
import { SpecViolation, isFields, type Fields } from './http.ts'

const HASH = /^0x[0-9a-fA-F]{64}$/
const CID = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/
const RUN_STATES = new Set(['queued', 'running', 'success', 'failed'])

/**
 * The new usage key: the answer itself when it is a string, else a string field, at most one object
 * deep, that is long enough to be a secret (20 characters of base64, base64url or similar), holds
 * no space, and is neither 0x hex nor a URL. A name with `key` in it goes first.
 */
export function usageKeyIn(body: unknown): string {
  const candidates = stringFields(body).filter(([, value]) => looksLikeKey(value))
  const named = candidates.find(([name]) => /key/i.test(name) && !/hash|id$/i.test(name))
  return found(named?.[1] ?? candidates[0]?.[1], 'a usage key', body)
}

/**
 * The identifier of a run in the 202: the answer itself, or any string field that is not one of the
 * run states. A name with `run` in it goes first, then one that ends in `id`.
 */
export function runIdIn(body: unknown): string {
  const candidates = stringFields(body).filter(([, value]) => value && !RUN_STATES.has(value))
  const named =
    candidates.find(([name]) => /run/i.test(name)) ?? candidates.find(([name]) => /id$/i.test(name))
  return found(named?.[1] ?? candidates[0]?.[1], 'a run id', body)
}

/** The id of a new group: a number, or a field `id`, `group_id` or `groupId`, number or decimal. */
export function groupIdIn(body: unknown): number {
  const candidates = allFields(body).filter(([name]) => name === '' || /^(group_?)?id$/i.test(name))
  const ids = candidates.map(([, value]) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  )
  return found(
    ids.find((id): id is number => Number.isSafeInteger(id)),
    'a group id',
    body,
  )
}

/** A wallet's id for permission arrays: any 32-byte hex field; undefined when none is shown. */
export function pkpIdIn(body: unknown): string | undefined {
  return stringFields(body).find(([, value]) => HASH.test(value))?.[1]
}

/** The CID: the answer itself, as JSON string or as text, or any string field of a CID's shape. */
export function cidIn(body: unknown): string {
  const cid = stringFields(body).find(([, value]) => CID.test(value.trim()))?.[1]
  return found(cid?.trim(), 'a CIDv0', body)
}

/** Whether the key resolves: the answer itself when it is boolean, else its first boolean field. */
export function existsIn(body: unknown): boolean {
  const values = allFields(body).map(([, value]) => value)
  return found(
    values.find((value) => typeof value === 'boolean'),
    'a boolean',
    body,
  )
}

/** The rows of a list: the answer itself when it is an array, else its first array field. */
export function rowsIn(body: unknown): Fields[] {
  const rows = Array.isArray(body)
    ? body
    : isFields(body)
      ? Object.values(body).find((value) => Array.isArray(value))
      : undefined
  return found<unknown[]>(rows, 'an array', body).filter(isFields)
}

/** A run matches when any of its own fields holds the id that the 202 showed. */
export function hasRunId(run: Fields, id: string): boolean {
  return Object.values(run).includes(id)
}

function looksLikeKey(value: string): boolean {
  return /^[A-Za-z0-9+/_=.-]{20,}$/.test(value) && !value.startsWith('0x') && !CID.test(value)
}

function stringFields(body: unknown): [string, string][] {
  return allFields(body).filter((field): field is [string, string] => typeof field[1] === 'string')
}

/** The value itself under the name '', then its fields, then those of objects directly in it. */
function allFields(body: unknown): [string, unknown][] {
  if (!isFields(body)) return [['', body]]
  const own = Object.entries(body)
  return [...own, ...own.flatMap(([, value]) => (isFields(value) ? Object.entries(value) : []))]
}

function found<T>(value: T | undefined, what: string, body: unknown): T {
  if (value !== undefined) return value
  throw new SpecViolation(`no ${what} in ${JSON.stringify(body)}`.replace('no a ', 'no '))
}
