import { SIGNING_INPUT_MAX_BYTES } from '../limits.ts'
import { DeniedError } from './denial.ts'

/** Reads the own members of an untrusted object. */
export type Fields = {
  /** Undefined if the member is absent. */
  value(name: string): unknown
  /** @throws {DeniedError} if the member is absent or null */
  required(name: string, expected: string): unknown
  /** @throws {DeniedError} for a member with another name */
  requireKnown(names: readonly string[]): void
  names: readonly string[]
}

/** @throws {DeniedError} unless the value is a plain object, whose members have no getters */
export function requireFields(value: unknown, path: string, isNullAbsent = false): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DeniedError('malformed_request', `${path}: expected an object`)
  // Members of the request itself have no prefix, as in the arguments of signing operations.
  const prefix = path === 'request' ? '' : `${path}.`
  const members = new Map<string, unknown>()
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)
    if (typeof key !== 'string' || !property || !('value' in property))
      throw new DeniedError('malformed_request', `${path}: has a member that is not data`)
    const member: unknown = property.value
    // A member that is undefined is absent, as in JSON.
    if (member !== undefined && !(isNullAbsent && member === null)) members.set(key, member)
  }
  return {
    value: (name) => members.get(name),
    required: (name, expected) => {
      const found = members.get(name)
      if (found === undefined || found === null)
        throw new DeniedError('missing_field', `${prefix}${name}: missing; expected ${expected}`)
      return found
    },
    requireKnown: (names) => {
      for (const name of members.keys())
        if (!names.includes(name))
          throw new DeniedError(
            'unknown_field',
            `${path}: has the member ${quoted(name)}; expected only ${names.join(', ')}`,
          )
    },
    names: [...members.keys()],
  }
}

/** Quotes an untrusted name, so that it cannot imitate the surrounding text. */
export const quoted = (name: string) => JSON.stringify(name.slice(0, 64))

/** @throws {DeniedError} with this code */
export function readList(
  value: unknown,
  path: string,
  code: 'malformed_request' | 'invalid_type',
): readonly unknown[] {
  if (!Array.isArray(value)) throw new DeniedError(code, `${path}: expected an array`)
  // Reads each index once, and converts holes to undefined.
  return Array.from<unknown>(value)
}

/** @throws {DeniedError} */
export function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new DeniedError('invalid_type', `${path}: expected a string`)
  if (!value.isWellFormed())
    throw new DeniedError(
      'invalid_text',
      `${path}: contains a lone surrogate, which UTF-8 cannot encode`,
    )
  if (value.length > SIGNING_INPUT_MAX_BYTES)
    throw new DeniedError(
      'data_too_long',
      `${path}: has ${value.length} characters; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    )
  return value
}
