/** What fired a run, as it is kept with it: everything but the body's bytes. */
import type { ChainLog } from '../chain/chain-log.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { eventOfLog } from '../chain/decoding/event-of-log.ts'
import { parseEventSignature } from '../chain/signature/parse-event-signature.ts'
import { nominalTime } from '../schedule/tick-run.ts'
import { type ParsingRules, webhookEvent } from './webhook-event.ts'

export type WebhookFiring = {
  source: 'webhook'
  method: string
  /** The public URL that the sender was given, with the query it used. */
  url: string
  query: Record<string, string | string[]>
  receivedAt: number
  contentType: string | null
  /** How the body is parsed; absent in runs queued before rules 2. */
  rules?: ParsingRules
  headers: Record<string, string>
  headersTruncated?: true
  /** Named by `options.pass_headers` when it arrived: history masks them. */
  maskedHeaders?: string[]
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

/** The event's part of `params` (`decisions.md`, Webhook params, Schedule params, Chain params): it wins over `default_params`. */
export function eventParams(firing: Firing, body: Uint8Array): Record<string, unknown> {
  if (firing.source === 'schedule') return scheduleParams(firing)
  if (firing.source === 'chain_event') return chainParams(firing, body)
  if (firing.source === 'params') return JSON.parse(new TextDecoder().decode(body))
  return {
    source: firing.source,
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
