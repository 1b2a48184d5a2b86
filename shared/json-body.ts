/** Reading a JSON body: the same order of checks and the same words on both sides. */
import type { z } from 'zod'
import { ApiError } from './errors.ts'

/** `text/plain` too: it is what `fetch` says of a string when its caller says nothing. */
const JSON_TYPES = /^(text\/plain|application\/([a-z0-9.+-]+\+)?json)\s*(;|$)/i

/**
 * The JSON of a request's body.
 * @param type the request's content type
 * @param optional an empty body counts as `{}`
 * @throws {ApiError} 415 for another content type (none at all is taken for JSON), 400 for what is not JSON
 */
export function parseJson(text: string, type: string | null, optional = false): unknown {
  if (text === '' && optional) return {}
  requireJsonType(type)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error instanceof SyntaxError ? error.message : 'it does not parse')
  }
}

/** @throws {ApiError} 415 for a content type that is not JSON's; none at all is taken for JSON */
export function requireJsonType(type: string | null): void {
  if (type === null || JSON_TYPES.test(type)) return
  throw new ApiError(
    415,
    `The body's content type is ${JSON.stringify(type.slice(0, 100))}.`,
    'Send JSON with the header Content-Type: application/json.',
  )
}

/** 400 for a body that does not parse. */
export function notJson(reason: string): ApiError {
  return new ApiError(400, `The body is not JSON: ${reason}`, 'Send a body that parses as JSON.')
}

/**
 * A body that fits its schema.
 * @throws {ApiError} 422 for a wrong JSON type or a missing field, 400 for a right type with a bad value
 *   (`decisions.md`, 400 or 422; the trigger service says 422 to both); the message names the field
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
    'Correct the named fields; the reference lists each with its type.',
  )
}

/** What does not fit its schema. */
export type Misfit = {
  /** Names each field, and says what is expected of it. */
  message: string
  /** A field is missing, or of another JSON type; else each is of the right type, with a bad value. */
  isOfWrongType: boolean
}

/** A value that fits its schema, or what is wrong with it. */
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

/** A body may have more wrong in it than anybody reads. */
const MESSAGE_MAX_CHARACTERS = 4_000

type Issue = z.core.$ZodIssue

/** Whether the value has another JSON type than the field takes, or is not there at all. */
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

/** 1.5 where an integer is asked for is a number of a bad value, not another type. */
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

/** `pkp_ids_permitted[3]`, or `body` for the whole. */
function fieldName(path: readonly PropertyKey[]): string {
  let name = ''
  for (const key of path) {
    if (typeof key === 'number') name += `[${key}]`
    else name += name === '' ? String(key) : `.${String(key)}`
  }
  return name === '' ? 'body' : name
}
