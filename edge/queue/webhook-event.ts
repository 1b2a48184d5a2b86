/** Parses the body of a webhook into `event` and `event_raw` (`docs/decisions/0067`). */
import { isDeeper } from '../../shared/json-depth.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { encodeBase64 } from './base64.ts'
import { parseForm } from './form-body.ts'

type Parsed = { event: unknown; event_parse_error?: string }
type Raw = { event_raw: string; event_raw_encoding: 'utf8' | 'base64' }

/**
 * A run keeps the version under which it was queued, because its receipt covers its input. Version 1 is stored without
 * a number. It does not support forms, and parses JSON only as `application/json` and `+json`.
 */
export const PARSING_RULES = 2
export type ParsingRules = 1 | typeof PARSING_RULES

const FORM_TYPE = 'application/x-www-form-urlencoded'
const JSON_TYPE: Record<ParsingRules, RegExp> = {
  1: /^(application\/json|.*\+json)$/,
  2: /^(application\/json|.*\+json|text\/json|application\/x-amz-json-1\.[01])$/,
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Received = { contentType: string | null; rules?: ParsingRules }

export function webhookEvent({ contentType, rules = 1 }: Received, body: Uint8Array): Parsed & Raw {
  const text = exactText(body)
  return {
    ...parsedEvent(contentType, text, rules),
    event_raw: text ?? encodeBase64(body),
    event_raw_encoding: text === undefined ? 'base64' : 'utf8',
  }
}

/** Keeps a BOM. `undefined` if the bytes are not valid UTF-8. */
function exactText(body: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(body)
  } catch {
    return undefined
  }
}

function parsedEvent(
  contentType: string | null,
  text: string | undefined,
  rules: ParsingRules,
): Parsed {
  if (text === undefined || text === '') return { event: null }
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  if (JSON_TYPE[rules].test(type)) return declaredJson(text)
  if (type === '' || type === 'text/plain') return { event: objectIn(text) ?? text }
  if (type === FORM_TYPE) return objectOrForm(text, rules)
  return { event: text }
}

function declaredJson(text: string): Parsed {
  try {
    return { event: parseJson(text) }
  } catch (error) {
    return { event: text, event_parse_error: error instanceof Error ? error.message : 'not JSON' }
  }
}

function objectOrForm(text: string, rules: ParsingRules): Parsed {
  const json = objectIn(text)
  if (json !== undefined) return { event: json }
  if (rules === 1) return { event: text }
  const form = parseForm(text)
  switch (form.state) {
    case 'form':
      return { event: form.fields }
    case 'text':
      return { event: text }
    case 'malformed':
      return { event: text, event_parse_error: form.reason }
  }
}

/**
 * `undefined` if the text is not a JSON object or array. Numbers and strings stay text, because the content type does
 * not declare JSON.
 */
function objectIn(text: string): object | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Allows a BOM.
 * @throws {SyntaxError | Error} if the text is not JSON, or is nested too deeply to be serialized again
 */
function parseJson(text: string): unknown {
  // A BOM is part of the raw text but not of the JSON (RFC 8259, 8.1).
  const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  if (isDeeper(value, JSON_DEPTH_MAX)) throw new Error(`nested over ${JSON_DEPTH_MAX} deep`)
  return value
}
