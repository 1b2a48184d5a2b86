/** The event that fired a run, and the params that the run receives. The event's body is stored separately. */
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { mediaTypeOf } from '../../shared/network/media-type.ts'
import type { ChainLog } from '../chain/chain-log.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { toBlockEvent } from '../chain/decoding/block-event.ts'
import { toChainEvent } from '../chain/decoding/chain-event.ts'
import { toTransactionEvent } from '../chain/decoding/transaction-event.ts'
import { parseEventSignature } from '../chain/signature/parse-event-signature.ts'
import { nominalTime } from '../schedule/tick-run.ts'
import { parseForm } from './form-body.ts'
import { decodeBatchedEvents } from './webhook-batch.ts'

/**
 * Version of the parsing rules. A run is always parsed with the version under which it was queued, because its receipt
 * covers its input. Version 1 is stored without a number, does not support forms, and parses JSON only as
 * `application/json` and `+json`.
 */
export const PARSING_RULES = 2
export type ParsingRules = 1 | typeof PARSING_RULES

export type WebhookFiring = {
  source: 'webhook'
  method: string
  /** Public URL of the webhook, with the query string of the request. */
  url: string
  query: Record<string, string | string[]>
  receivedAt: number
  contentType: string | null
  /** Version of the rules for parsing the body. Absent in runs that were queued before version 2. */
  rules?: ParsingRules
  headers: Record<string, string>
  headersTruncated?: true
  /**
   * Names of the headers that `options.pass_headers` listed when the event arrived. The history masks the values of
   * these headers.
   */
  maskedHeaders?: string[]
}

/**
 * A tick of a schedule. `scheduledAt` is its nominal time, and the other fields are from the config at that time. The
 * local time is stored, so that the run's input stays the same if the rules of the time zone change.
 */
export type ScheduleFiring = { source: 'schedule'; scheduledAt: number } & (
  | { cron: string; timezone?: string; local?: string }
  | { at: string }
)

/**
 * A run that the owner requested. The body is a JSON object with the keys that an event would add to `default_params`.
 */
export type ParamsFiring = { source: 'params' }

/** A block of a chain event with `blocks`. The body is the mark of the block as JSON (`edge/chain/block-mark.ts`). */
export type BlockFiring = {
  source: 'chain_event'
  chain: ChainName
  chainId: number
  /** Interval that was configured when the block fired the run. */
  every: number
}

/**
 * A transaction of a chain event with `transactions`. The body is the mark of the transaction as JSON
 * (`edge/chain/transaction-mark.ts`).
 */
export type TransactionFiring = {
  source: 'chain_event'
  chain: ChainName
  chainId: number
  of: 'transaction'
}

/**
 * A log of a chain event. The body is the log as JSON. The decoding plan is stored with the firing, so that the run's
 * input stays the same if such events are decoded differently later.
 */
export type ChainEventFiring = {
  source: 'chain_event'
  chain: ChainName
  chainId: number
  /** Event signature that was configured when the log fired the run. */
  signature: string
  plan: DecodePlan
}

/** Several webhook events (`options.batch`). The body contains the firings and bodies of the events. */
export type WebhookBatchFiring = { source: 'webhook_batch' }

export type Firing =
  | WebhookFiring
  | WebhookBatchFiring
  | ScheduleFiring
  | ChainEventFiring
  | BlockFiring
  | TransactionFiring
  | ParamsFiring

/**
 * Returns the params of a run: a shallow merge of the trigger's default params and the params of the event. If both
 * contain a key, the event's value is used.
 */
export function runParams(
  { defaultParams }: { defaultParams: string },
  firing: Firing,
  body: Uint8Array,
): Record<string, unknown> {
  return { ...JSON.parse(defaultParams), ...eventParams(firing, body) }
}

/** These keys take precedence over `default_params`. */
export function eventParams(firing: Firing, body: Uint8Array): Record<string, unknown> {
  if (firing.source === 'schedule') return scheduleParams(firing)
  if (firing.source === 'chain_event') return chainParams(firing, body)
  if (firing.source === 'params') return JSON.parse(new TextDecoder().decode(body))
  if (firing.source === 'webhook_batch') return batchParams(body)
  return { source: firing.source, ...webhookParams(firing, body) }
}

/** @param shown returns the firing with the headers to show */
export function batchParams(
  body: Uint8Array,
  shown = (firing: WebhookFiring) => firing,
): Record<string, unknown> {
  const events = decodeBatchedEvents(body)
  return {
    source: 'webhook',
    events: events.map((event) => webhookParams(shown(event.firing as WebhookFiring), event.body)),
  }
}

function webhookParams(firing: WebhookFiring, body: Uint8Array): Record<string, unknown> {
  return {
    ...webhookEvent(firing, body),
    headers: firing.headers,
    ...(firing.headersTruncated ? { headers_truncated: true } : {}),
    request: {
      method: firing.method,
      url: firing.url,
      query: firing.query,
      received_at: new Date(firing.receivedAt).toISOString(),
      content_type: firing.contentType,
      body_bytes: body.length,
    },
  }
}

function scheduleParams(firing: ScheduleFiring): Record<string, unknown> {
  const params = { source: firing.source, scheduled_at: nominalTime(firing.scheduledAt) }
  if ('at' in firing) return { ...params, at: firing.at }
  const { cron, timezone, local } = firing
  return {
    ...params,
    cron,
    ...(timezone === undefined ? {} : { timezone, scheduled_local: local }),
  }
}

function chainParams(
  firing: ChainEventFiring | BlockFiring | TransactionFiring,
  body: Uint8Array,
): Record<string, unknown> {
  const { source, chain, chainId } = firing
  const log = JSON.parse(new TextDecoder().decode(body)) as ChainLog
  if ('every' in firing)
    return { source, event: toBlockEvent({ chain, chainId, every: firing.every, mark: log }) }
  if ('of' in firing) return { source, event: toTransactionEvent({ chain, chainId, mark: log }) }
  const { signature: signatureText, plan } = firing
  const signature = parseEventSignature(signatureText)
  return { source, event: toChainEvent({ chain, chainId, signatureText, signature, log, plan }) }
}

type ParsedEvent = { event: unknown; event_parse_error?: string }
type RawEvent = { event_raw: string; event_raw_encoding: 'utf8' | 'base64' }

const FORM_TYPE = 'application/x-www-form-urlencoded'
const JSON_TYPE: Record<ParsingRules, RegExp> = {
  1: /^(application\/json|.*\+json)$/,
  2: /^(application\/json|.*\+json|text\/json|application\/x-amz-json-1\.[01])$/,
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type BodyFormat = { contentType: string | null; rules?: ParsingRules }

/** Parses the body of a webhook into `event` and `event_raw` (`docs/decisions/0067`). */
function webhookEvent(
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
