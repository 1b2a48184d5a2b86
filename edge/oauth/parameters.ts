import { OAuthError } from './oauth-error.ts'

/** Control characters are never part of a valid value. */
const UNPRINTABLE = /\p{Cc}/u

/**
 * Reads a parameter. An empty value counts as absent (RFC 6749, 3.1).
 * @throws {OAuthError} `invalid_request` if the parameter is repeated or contains control characters
 */
export function parameter(given: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = given.getAll(name)
  if (more.length > 0) throw new OAuthError('invalid_request', `${name}: sent more than once`)
  if (value === undefined || value === '') return undefined
  if (UNPRINTABLE.test(value))
    throw new OAuthError('invalid_request', `${name}: contains control characters`)
  return value
}

/** @throws {OAuthError} `invalid_request` if the parameter is missing */
export function requiredParameter(given: URLSearchParams, name: string): string {
  const value = parameter(given, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name}: missing`)
  return value
}
