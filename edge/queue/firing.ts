/** The event that fired a run, without its body, which is stored separately. */
import type { ChainLog } from '../chain/chain-log.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { toChainEvent } from '../chain/decoding/chain-event.ts'
import { parseEventSignature } from '../chain/signature/parse-event-signature.ts'
import { nominalTime } from '../schedule/tick-run.ts'
import { type ParsingRules, webhookEvent } from './webhook-event.ts'

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
 * A tick of a schedule. `scheduledAt` is its nominal time, and `cron` is the expression that was configured at that
 * time.
 */
export type ScheduleFiring = { source: 'schedule'; scheduledAt: number; cron: string }

/**
 * A run that the owner requested. The body is a JSON object with the keys that an event would add to `default_params`.
 */
export type ParamsFiring = { source: 'params' }

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

export type Firing = WebhookFiring | ScheduleFiring | ChainEventFiring | ParamsFiring

/** These keys take precedence over `default_params`. */
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

function scheduleParams({ source, scheduledAt, cron }: ScheduleFiring): Record<string, unknown> {
  return { source, scheduled_at: nominalTime(scheduledAt), cron }
}

function chainParams(firing: ChainEventFiring, body: Uint8Array): Record<string, unknown> {
  const { source, chain, chainId, signature: signatureText, plan } = firing
  const log = JSON.parse(new TextDecoder().decode(body)) as ChainLog
  const signature = parseEventSignature(signatureText)
  return { source, event: toChainEvent({ chain, chainId, signatureText, signature, log, plan }) }
}
