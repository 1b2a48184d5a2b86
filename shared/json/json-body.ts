/**
 * Parses and validates JSON bodies, so that the edge and the origin check them in the same order and return the same
 * messages.
 */
import type { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'

/**
 * Content types that are accepted for JSON. They include `text/plain`, which `fetch` sends for a string body unless the
 * caller sets a type.
 */
const JSON_TYPES = /^(text\/plain|application\/([a-z0-9.+-]+\+)?json)\s*(;|$)/i

/**
 * @param type the request's content type. Null is treated as JSON (docs/decisions/0007)
 * @param optional treats an empty body as `{}`
 * @throws {ApiError} 415 for another content type, 400 if the body does not parse
 */
export function parseJson(text: string, type: string | null, optional = false): unknown {
  if (text === '' && optional) return {}
  requireJsonType(type)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidJson(error instanceof SyntaxError ? error.message : 'syntax error')
  }
}

/** @throws {ApiError} 415 unless the type is JSON or absent */
export function requireJsonType(type: string | null): void {
  if (type === null || JSON_TYPES.test(type)) return
  throw new ApiError(
    415,
    `Unsupported content type ${JSON.stringify(type.slice(0, 100))}.`,
    'Send JSON with Content-Type: application/json.',
  )
}

export function invalidJson(reason: string): ApiError {
  return new ApiError(400, `The body is not JSON: ${reason}`, 'Send valid JSON.')
}

/**
 * Validates a body. The error message names the field.
 * @throws {ApiError} 422 for a missing field or a wrong JSON type, `badValue` for a bad value of the right type (the
 * trigger service uses 422 for both)
 */
export function validate<Body>(
  schema: z.ZodType<Body>,
  value: unknown,
  badValue: 400 | 422 = 400,
): Body {
  const result = parseValue(schema, value)
  if ('value' in result) return result.value
  const status = result.isOfWrongType ? 422 : badValue
  throw new ApiError(
    status,
    result.message,
    'Correct the named fields; the API reference lists all fields with their types.',
  )
}

export type ValidationFailure = {
  message: string
  /** True for a missing field or a wrong JSON type. False for a bad value of the right type. */
  isOfWrongType: boolean
}

export function parseValue<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
): { value: Value } | ValidationFailure {
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  const { issues } = result.error
  return {
    message: issues
      .map((issue) => `${fieldName(issue.path)}: ${issue.message}`)
      .join('; ')
      .slice(0, MESSAGE_MAX_CHARACTERS),
    isOfWrongType: issues.some((issue) => isWrongType(issue, value)),
  }
}

/** A body can contain any number of errors. */
const MESSAGE_MAX_CHARACTERS = 4_000

type Issue = z.core.$ZodIssue

/**
 * Returns true for a missing value or a wrong JSON type. A fraction such as 1.5 in an integer field counts as the right
 * type.
 */
function isWrongType(issue: Issue, value: unknown): boolean {
  if (issue.code === 'invalid_type')
    return issue.expected !== 'int' || typeof valueAt(value, issue.path) !== 'number'
  if (issue.code === 'invalid_union') {
    return (
      issue.errors.length > 0 &&
      issue.errors.every((branch) =>
        branch.some((inner) => isWrongType(inner, valueAt(value, issue.path))),
      )
    )
  }
  if (issue.code === 'invalid_value') {
    const given = typeof valueAt(value, issue.path)
    return issue.values.every((allowed) => typeof allowed !== given)
  }
  return issue.code === 'custom' && valueAt(value, issue.path) === undefined
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object') return undefined
    current = Reflect.get(current, key)
  }
  return current
}

/** Returns the name of a field in messages: `pkp_ids_permitted[3]`, or `body` for the root. */
function fieldName(path: readonly PropertyKey[]): string {
  let name = ''
  for (const key of path) {
    if (typeof key === 'number') name += `[${key}]`
    else name += name === '' ? String(key) : `.${String(key)}`
  }
  return name === '' ? 'body' : name
}
