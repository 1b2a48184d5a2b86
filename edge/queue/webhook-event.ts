/** Parses the body of a webhook into `event` and `event_raw` (`docs/decisions/0067`). */
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { mediaTypeOf } from '../../shared/network/media-type.ts'
import { parseForm } from './form-body.ts'

type ParsedEvent = { event: unknown; event_parse_error?: string }
type RawEvent = { event_raw: string; event_raw_encoding: 'utf8' | 'base64' }

/**
 * Version of the parsing rules. A run is always parsed with the version under which it was queued, because its receipt
 * covers its input. Version 1 is stored without a number, does not support forms, and parses JSON only as
 * `application/json` and `+json`.
 */
export const PARSING_RULES = 2
export type ParsingRules = 1 | typeof PARSING_RULES

const FORM_TYPE = 'application/x-www-form-urlencoded'
const JSON_TYPE: Record<ParsingRules, RegExp> = {
  1: /^(application\/json|.*\+json)$/,
  2: /^(application\/json|.*\+json|text\/json|application\/x-amz-json-1\.[01])$/,
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type BodyFormat = { contentType: string | null; rules?: ParsingRules }

export function webhookEvent(
  { contentType, rules = 1 }: BodyFormat,
  body: Uint8Array,
): ParsedEvent & RawEvent {
  const text = decodeUtf8(body)
  return {
    ...parseEvent(contentType, text, rules),
    event_raw: text ?? encodeBase64(body),
    event_raw_encoding: text === undefined ? 'base64' : 'utf8',
  }
}

/** Encodes with `Buffer`, because `btoa` would block the object for 100 ms on 2 MiB of input. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Does not remove a BOM. Returns `undefined` if the bytes are not valid UTF-8. */
function decodeUtf8(body: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(body)
  } catch {
    return undefined
  }
}

function parseEvent(
  contentType: string | null,
  text: string | undefined,
  rules: ParsingRules,
): ParsedEvent {
  if (text === undefined || text === '') return { event: null }
  const type = mediaTypeOf(contentType)
  if (JSON_TYPE[rules].test(type)) return parseDeclaredJson(text)
  if (type === '' || type === 'text/plain') return { event: parseObject(text) ?? text }
  if (type === FORM_TYPE) return parseObjectOrForm(text, rules)
  return { event: text }
}

function parseDeclaredJson(text: string): ParsedEvent {
  try {
    return { event: parseJson(text) }
  } catch (error) {
    return { event: text, event_parse_error: error instanceof Error ? error.message : 'not JSON' }
  }
}

function parseObjectOrForm(text: string, rules: ParsingRules): ParsedEvent {
  const json = parseObject(text)
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

/** Numbers and strings stay text, because the content type does not declare JSON. */
function parseObject(text: string): object | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses JSON text, which may start with a BOM.
 * @throws {SyntaxError | Error} if the text is not JSON, or is nested too deeply to be serialized again
 */
function parseJson(text: string): unknown {
  // A BOM is part of the raw text but not of the JSON (RFC 8259, 8.1).
  const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  if (isDeeperThan(value, JSON_DEPTH_MAX)) throw new Error(`nested over ${JSON_DEPTH_MAX} deep`)
  return value
}
