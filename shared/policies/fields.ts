import { DeniedError } from './denial.ts'

/** Own members of an untrusted object. Null counts as a value. */
export type Fields = {
  /** Undefined if the member is absent. */
  value(name: string): unknown
  /** @throws {DeniedError} if the member is absent or null */
  required(name: string): unknown
  /** @throws {DeniedError} for a member with another name */
  requireKnown(names: readonly string[]): void
  names: readonly string[]
}

/** @throws {DeniedError} unless the value is a plain object, whose members have no getters */
export function requireFields(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DeniedError('malformed_request', `${path} is not an object`)
  const members = new Map<string, unknown>()
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)
    if (typeof key !== 'string' || !property || !('value' in property))
      throw new DeniedError('malformed_request', `${path} has a member that is not data`)
    // A member that is undefined is absent, as in JSON.
    if (property.value !== undefined) members.set(key, property.value)
  }
  return {
    value: (name) => members.get(name),
    required: (name) => {
      const found = members.get(name)
      if (found === undefined || found === null)
        throw new DeniedError('missing_field', `${path}.${name} is missing`)
      return found
    },
    requireKnown: (names) => {
      for (const name of members.keys())
        if (!names.includes(name))
          throw new DeniedError(
            'unknown_field',
            `${path} has the field ${JSON.stringify(name.slice(0, 64))}, which is not supported`,
          )
    },
    names: [...members.keys()],
  }
}
