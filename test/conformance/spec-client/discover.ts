/**
 * Finds values with names that the specifications leave open. Each function documents what it accepts. If the contract
 * names a field, the client reads that field instead.
 */
import { SpecViolation, isFields, type Fields } from './http.ts'

const HASH = /^0x[0-9a-fA-F]{64}$/
const HEX = /^0x[0-9a-fA-F]*$/
const CID = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/
const RUN_STATES = new Set(['queued', 'running', 'success', 'failed'])

/**
 * Finds a new usage key: the body itself if it is a string, or a string field, at most one object deep, that is long
 * enough for a secret (20 characters of base64, base64url or similar), without spaces, and neither 0x hex nor a URL.
 * Prefers names with `key`.
 */
export function usageKeyIn(body: unknown): string {
  const candidates = stringFields(body).filter(([, value]) => looksLikeKey(value))
  const named = candidates.find(([name]) => /key/i.test(name) && !/hash|id$/i.test(name))
  return found(named?.[1] ?? candidates[0]?.[1], 'a usage key', body)
}

/**
 * Finds the ID of a run in a 202: the body itself, or any string field that is not a run status. Prefers names with
 * `run`, then names that end in `id`.
 */
export function runIdIn(body: unknown): string {
  const candidates = stringFields(body).filter(([, value]) => value && !RUN_STATES.has(value))
  const named =
    candidates.find(([name]) => /run/i.test(name)) ?? candidates.find(([name]) => /id$/i.test(name))
  return found(named?.[1] ?? candidates[0]?.[1], 'a run id', body)
}

/** Finds the ID of a new group: a number, or a field `id`, `group_id` or `groupId` with a number or decimal string. */
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

/** Finds a wallet's ID for permission arrays: any 32-byte hex field; undefined if there is none. */
export function pkpIdIn(body: unknown): string | undefined {
  return stringFields(body).find(([, value]) => HASH.test(value))?.[1]
}

/** Finds a CID: the body itself, as JSON or text, or any string field with the format of a CID. */
export function cidIn(body: unknown): string {
  const cid = stringFields(body).find(([, value]) => CID.test(value.trim()))?.[1]
  return found(cid?.trim(), 'a CIDv0', body)
}

/** Finds whether a key exists: the body itself if it is a boolean, otherwise its first boolean field. */
export function existsIn(body: unknown): boolean {
  const values = allFields(body).map(([, value]) => value)
  return found(
    values.find((value) => typeof value === 'boolean'),
    'a boolean',
    body,
  )
}

/** Finds the rows of a list: the body itself if it is an array, otherwise its first array field. */
export function rowsIn(body: unknown): Fields[] {
  const rows = Array.isArray(body)
    ? body
    : isFields(body)
      ? Object.values(body).find((value) => Array.isArray(value))
      : undefined
  return found<unknown[]>(rows, 'an array', body).filter(isFields)
}

/** True if any field of a run contains the ID from the 202. */
export function hasRunId(run: Fields, id: string): boolean {
  return Object.values(run).includes(id)
}

function looksLikeKey(value: string): boolean {
  return /^[A-Za-z0-9+/_=.-]{20,}$/.test(value) && !HEX.test(value) && !CID.test(value)
}

function stringFields(body: unknown): [string, string][] {
  return allFields(body).filter((field): field is [string, string] => typeof field[1] === 'string')
}

/** Lists the value itself with the name '', then its fields, then the fields of its member objects. */
function allFields(body: unknown): [string, unknown][] {
  if (!isFields(body)) return [['', body]]
  const own = Object.entries(body)
  return [...own, ...own.flatMap(([, value]) => (isFields(value) ? Object.entries(value) : []))]
}

function found<T>(value: T | undefined, what: string, body: unknown): T {
  if (value !== undefined) return value
  throw new SpecViolation(`no ${what} in ${JSON.stringify(body)}`.replace('no a ', 'no '))
}
