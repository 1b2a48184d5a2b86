/** What fired a run, as it is kept with it: everything but the body's bytes. */
import { isDeeper } from '../../shared/json-depth.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import type { ChainLog } from '../chain/chain-log.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { eventOfLog } from '../chain/decoding/event-of-log.ts'
import { parseEventSignature } from '../chain/signature/parse-event-signature.ts'
import { nominalTime } from '../schedule/tick-run.ts'
import { encodeBase64 } from './base64.ts'

export type WebhookFiring = {
  source: 'webhook'
  method: string
  /** The public URL that the sender was given, with the query it used. */
  url: string
  query: Record<string, string | string[]>
  receivedAt: number
  contentType: string | null
  headers: Record<string, string>
  headersTruncated?: true
}

/** A tick: its nominal time, and the cron as its owner wrote it then. */
export type ScheduleFiring = { source: 'schedule'; scheduledAt: number; cron: string }

/** A run that its owner wanted: the body is the JSON of what an event would add to `default_params`. */
export type ParamsFiring = { source: 'params' }

/**
 * A log: the body is its JSON. With it is kept how it is decoded, so that the input never changes when more becomes
 * known of the event.
 */
export type ChainEventFiring = {
  source: 'chain_event'
  chain: ChainName
  chainId: number
  /** As its owner wrote it then. */
  signature: string
  plan: DecodePlan
}

export type Firing = WebhookFiring | ScheduleFiring | ChainEventFiring | ParamsFiring

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The event's part of `params` (`decisions.md`, Webhook params, Schedule params, Chain params): it wins over `default_params`. */
export function eventParams(firing: Firing, body: Uint8Array): Record<string, unknown> {
  if (firing.source === 'schedule') return scheduleParams(firing)
  if (firing.source === 'chain_event') return chainParams(firing, body)
  if (firing.source === 'params') return JSON.parse(new TextDecoder().decode(body))
  const text = exactText(body)
  return {
    source: firing.source,
    ...parsedEvent(firing.contentType, text),
    event_raw: text ?? encodeBase64(body),
    event_raw_encoding: text === undefined ? 'base64' : 'utf8',
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

/** Exactly these three. */
function scheduleParams({ source, scheduledAt, cron }: ScheduleFiring): Record<string, unknown> {
  return { source, scheduled_at: nominalTime(scheduledAt), cron }
}

function chainParams(firing: ChainEventFiring, body: Uint8Array): Record<string, unknown> {
  const { source, chain, chainId, signature: signatureText, plan } = firing
  const log = JSON.parse(new TextDecoder().decode(body)) as ChainLog
  const signature = parseEventSignature(signatureText)
  return { source, event: eventOfLog({ chain, chainId, signatureText, signature, log, plan }) }
}

/** The text that encodes to exactly these bytes, a BOM kept, or `undefined`. */
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
): { event: unknown; event_parse_error?: string } {
  if (text === undefined || text === '') return { event: null }
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  const json = type === 'application/json' || type.endsWith('+json')
  const perhaps =
    type === '' || type === 'text/plain' || type === 'application/x-www-form-urlencoded'
  if (!json && !perhaps) return { event: text }
  try {
    // A BOM is part of the raw text and no part of the JSON (RFC 8259, 8.1).
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
    if (isDeeper(value, JSON_DEPTH_MAX)) throw new Error(`nested over ${JSON_DEPTH_MAX} deep`)
    return { event: json || (typeof value === 'object' && value !== null) ? value : text }
  } catch (error) {
    if (!json) return { event: text }
    return { event: text, event_parse_error: error instanceof Error ? error.message : 'not JSON' }
  }
}
