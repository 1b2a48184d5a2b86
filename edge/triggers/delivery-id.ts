/** Deduplication (`options.dedup`) uses an ID from the sender, never the body. */
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { DELIVERY_ID_MAX_CHARACTERS } from '../../shared/limits.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { sha256 } from '../sha256.ts'

/**
 * Headers with an ID that a sender repeats when it retries a delivery, in order of precedence: idempotency keys,
 * delivery IDs, event IDs. Headers that several events share, such as `x-webhook-id`, are excluded.
 */
const DELIVERY_IDS = [
  'idempotency-key',
  'x-idempotency-key',
  'webhook-id',
  'svix-id',
  'x-github-delivery',
  'x-gitea-delivery',
  'x-forgejo-delivery',
  'x-gogs-delivery',
  'x-gitlab-event-uuid',
  'x-atlassian-webhook-identifier',
  'x-request-uuid',
  'x-shopify-webhook-id',
  'i-twilio-idempotency-token',
  'linear-delivery',
  'twitch-eventsub-message-id',
  'x-zendesk-webhook-invocation-id',
  'box-delivery-id',
  'x-wc-webhook-delivery-id',
  'x-amz-sns-message-id',
  'paypal-transmission-id',
  'x-delivery-id',
  'x-razorpay-event-id',
  'x-event-id',
] as const

type Headers = Readonly<Record<string, string>>

/**
 * Returns the deduplication key of a delivery, or `undefined` if the sender provided no ID.
 * @param headers header values by lower-case name
 */
export async function deliveryKey(
  dedup: NonNullable<TriggerOptions['dedup']>,
  headers: Headers,
): Promise<string | undefined> {
  const found = typeof dedup === 'object' ? configuredId(dedup.header, headers) : knownId(headers)
  if (!found) return undefined
  const { name, id } = found
  if (id.length <= DELIVERY_ID_MAX_CHARACTERS) return `${name}:${id}`
  // Hashed IDs use a different separator, so that a short ID that looks like a hash cannot collide with a hashed ID.
  return `${name}#${encodeBase64url(await sha256(id))}`
}

type DeliveryId = { name: string; id: string }

function configuredId(header: string, headers: Headers): DeliveryId | undefined {
  const name = header.toLowerCase()
  const id = valueOf(headers, name)
  return id === undefined ? undefined : { name, id }
}

function knownId(headers: Headers): DeliveryId | undefined {
  for (const name of DELIVERY_IDS) {
    const id = valueOf(headers, name)
    if (id !== undefined) return { name, id }
  }
  // In CloudEvents 1.0, `source` and `id` together identify an event. Header values cannot contain line feeds, so a
  // line feed safely separates the two values.
  const id = valueOf(headers, 'ce-id')
  return id === undefined
    ? undefined
    : { name: 'ce-id', id: `${valueOf(headers, 'ce-source') ?? ''}\n${id}` }
}

/**
 * Returns a header's value, or `undefined` if the header is absent or empty. Reads only own properties, because an
 * owner may configure a header name such as `constructor`.
 */
function valueOf(headers: Headers, name: string): string | undefined {
  return (Object.hasOwn(headers, name) && headers[name]) || undefined
}
