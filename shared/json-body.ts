/**
 * Parses and validates JSON bodies. The edge and the origin thus check in the same order and return the same messages.
 */
import type { z } from 'zod'
import { ApiError } from './errors.ts'

/**
 * Content types that are parsed as JSON. They include `text/plain`, which `fetch` sends for a string body unless the
 * caller sets a type.
 */
const JSON_TYPES = /^(text\/plain|application\/([a-z0-9.+-]+\+)?json)\s*(;|$)/i

/**
 * Parses a request body as JSON.
 * @param type the request's content type; null is treated as JSON (docs/decisions/0007)
 * @param optional treats an empty body as `{}`
 * @throws {ApiError} 415 for another content type, 400 if the body does not parse
 */
export function parseJson(text: string, type: string | null, optional = false): unknown {
  if (text === '' && optional) return {}
  requireJsonType(type)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error instanceof SyntaxError ? error.message : 'syntax error')
  }
}

/** Checks the content type of a JSON request. @throws {ApiError} 415 unless the type is JSON or absent */
export function requireJsonType(type: string | null): void {
  if (type === null || JSON_TYPES.test(type)) return
  throw new ApiError(
    415,
    `Unsupported content type ${JSON.stringify(type.slice(0, 100))}.`,
    'Send JSON with Content-Type: application/json.',
  )
}

export function notJson(reason: string): ApiError {
  return new ApiError(400, `The body is not JSON: ${reason}`, 'Send valid JSON.')
}

/**
 * Validates a body against its schema. The error message names the field.
 * @throws {ApiError} 422 for a missing field or a wrong JSON type, `badValue` for a bad value of the right type (the
 *   trigger service uses 422 for both)
 */
export function validate<Body>(
  schema: z.ZodType<Body>,
  value: unknown,
  badValue: 400 | 422 = 400,
): Body {
  const result = read(schema, value)
  if ('value' in result) return result.value
  const status = result.isOfWrongType ? 422 : badValue
  throw new ApiError(
    status,
    result.message,
    'Correct the named fields; the API reference lists all fields with their types.',
  )
}

/** Describes why a value does not match its schema. */
export type Misfit = {
  /** Error text that names each field and the expected value. */
  message: string
  /** True if a field is missing or has another JSON type; false if all fields have the right type but a bad value. */
  isOfWrongType: boolean
}

/** Parses a value, and returns either the result or a description of the mismatch. */
export function read<Value>(schema: z.ZodType<Value>, value: unknown): { value: Value } | Misfit {
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  const { issues } = result.error
  return {
    message: issues
      .map((issue) => `${fieldName(issue.path)}: ${issue.message}`)
      .join('; ')
      .slice(0, MESSAGE_MAX_CHARACTERS),
    isOfWrongType: issues.some((issue) => wrongType(issue, value)),
  }
}

/** Maximum length of an error text. A body can contain any number of errors. */
const MESSAGE_MAX_CHARACTERS = 4_000

type Issue = z.core.$ZodIssue

/** Returns true if the value is missing, or has another JSON type than the field accepts. */
function wrongType(issue: Issue, value: unknown): boolean {
  if (issue.code === 'invalid_type') return !isFraction(issue, value)
  if (issue.code === 'invalid_union') {
    return (
      issue.errors.length > 0 &&
      issue.errors.every((branch) =>
        branch.some((inner) => wrongType(inner, at(value, issue.path))),
      )
    )
  }
  if (issue.code === 'invalid_value') {
    const given = typeof at(value, issue.path)
    return issue.values.every((allowed) => typeof allowed !== given)
  }
  return issue.code === 'custom' && at(value, issue.path) === undefined
}

/** Returns true for a fraction such as 1.5 in an integer field. It is reported as a bad value, not as a wrong type. */
function isFraction(issue: Issue, value: unknown): boolean {
  return (
    issue.code === 'invalid_type' &&
    issue.expected === 'int' &&
    typeof at(value, issue.path) === 'number'
  )
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object') return undefined
    current = Reflect.get(current, key)
  }
  return current
}

/** Formats the path of a field as `pkp_ids_permitted[3]`, or `body` for the root. */
function fieldName(path: readonly PropertyKey[]): string {
  let name = ''
  for (const key of path) {
    if (typeof key === 'number') name += `[${key}]`
    else name += name === '' ? String(key) : `.${String(key)}`
  }
  return name === '' ? 'body' : name
}
