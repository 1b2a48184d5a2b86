/** Parser for `application/x-www-form-urlencoded` bodies (WHATWG URL Standard, section 5.1). */
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import { FORM_FIELDS_MAX, JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { valuesByName } from '../triggers/values-by-name.ts'

/** `text`: the body is not a form. `malformed`: the body is a form that cannot be parsed. */
type ParsedForm =
  | { state: 'form'; fields: Record<string, unknown> }
  | { state: 'text' }
  | { state: 'malformed'; reason: string }

/** Matches the start of JSON or XML. `curl -d` declares every body as a form, so the content type is not reliable. */
const OTHER_FORMAT = /^\s*[[{<]/

/**
 * Reports invalid UTF-8 as malformed, whereas `URLSearchParams` would replace the invalid bytes.
 * @example parseForm('a=1&b=2&b=3') // fields: { a: '1', b: ['2', '3'] }
 */
export function parseForm(text: string): ParsedForm {
  if (!text.includes('=') || OTHER_FORMAT.test(text)) return { state: 'text' }
  const parts = text.split('&', FORM_FIELDS_MAX + 1)
  if (parts.length > FORM_FIELDS_MAX)
    return { state: 'malformed', reason: `a form of over ${FORM_FIELDS_MAX} fields` }
  try {
    const fields = valuesByName(parts.filter((part) => part !== '').map(nameAndValue))
    return { state: 'form', fields: withParsedPayload(fields) }
  } catch {
    return { state: 'malformed', reason: 'a form with a percent-encoding that is not UTF-8' }
  }
}

/** @throws {URIError} if a percent-encoded sequence is incomplete or does not decode to valid UTF-8 */
function nameAndValue(part: string): [name: string, value: string] {
  const at = part.indexOf('=')
  const name = at < 0 ? part : part.slice(0, at)
  return [decode(name), at < 0 ? '' : decode(part.slice(at + 1))]
}

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

/**
 * Parses the field `payload`, in which GitHub and Slack send their entire event as JSON. All other fields stay text.
 */
function withParsedPayload(fields: Record<string, unknown>): Record<string, unknown> {
  const { payload } = fields
  if (typeof payload !== 'string' || !/^\s*[[{]/.test(payload)) return fields
  try {
    const parsed: unknown = JSON.parse(payload)
    // The form itself counts as one level of nesting.
    if (!isDeeperThan(parsed, JSON_DEPTH_MAX - 1)) fields.payload = parsed
  } catch {
    // A field that looks like JSON but cannot be parsed stays text.
  }
  return fields
}
