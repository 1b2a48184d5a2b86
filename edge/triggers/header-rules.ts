/**
 * Which of a webhook's headers may reach the action (specification, Webhook header rules; `decisions.md`, Headers
 * passed): those that verify the sender or describe the event, never a credential of somebody else, nor what
 * platforms and proxies add on the way.
 */

const DENIED = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'cdn-loop',
  'x-real-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'connection',
  'te',
  'upgrade',
  'host',
])
const DENIED_PREFIX = /^(cf-|x-forwarded-)/

const ALLOWED = new Set([
  'content-type',
  'content-encoding',
  'date',
  'user-agent',
  'x-request-id',
  'x-event-key',
  'x-hook-uuid',
  'x-request-uuid',
  'x-attempt-number',
  'x-gitlab-token',
  'x-gitlab-instance',
  'x-telegram-bot-api-secret-token',
  'i-twilio-idempotency-token',
  'x-zm-trackingid',
  'stream-id',
  'batch-start-range',
  'batch-end-range',
  'goldsky-webhook-secret',
  'square-retry-number',
  'square-initial-delivery-timestamp',
  'x-hubspot-signature-v3',
  'x-trello-webhook',
  'x-adobesign-clientid',
  'smartsheet-hook-challenge',
  'x-hook-secret',
  'x-circle-key-id',
  'verif-hash',
  'plaid-verification',
  'x-auth-client',
  'x-buildkite-token',
  'x-contentful-crn',
  'x-shipengine-rsa-sha256-key-id',
  'x-contentful-signed-headers',
  'dg-token',
  'validation-token',
  'x-airtable-content-mac',
  'btcpay-sig',
])
const ALLOWED_PREFIX =
  /^(ce-|svix-|webhook-|x-hub-|x-github-|x-gitlab-|x-gitea-|x-forgejo-|x-gogs-|x-shopify-|x-slack-|x-wc-webhook-|paypal-|twitch-eventsub-|stripe-|x-amz-sns-|linear-|x-qn-|box-|aeg-)/
const ALLOWED_PATTERN = [
  /(^|-)(signature|signatures|hmac|digest|hash|mac)(-|$)/,
  /(^|-)(timestamp|nonce)$/,
  /(^|-)(event|topic|delivery|webhook|hook|retry|idempotency)(-[a-z]+)*$/,
]

export type Rule = 'deny' | 'allow' | 'only_named'

/** Rules by name: senders use the same few names again and again, and the patterns are most of the work. */
const rules = new Map<string, Rule>()
const RULES_MAX = 1_000

/** A longer name is no sender's: a pattern would look at it for seconds, and every one would be remembered. */
const NAME_MAX_CHARACTERS = 128

/** @param name in lower case */
export function ruleFor(name: string): Rule {
  if (name.length > NAME_MAX_CHARACTERS) return 'deny'
  const known = rules.get(name)
  if (known) return known
  if (rules.size >= RULES_MAX) rules.clear()
  const rule = isDenied(name) ? 'deny' : isAllowed(name) ? 'allow' : 'only_named'
  rules.set(name, rule)
  return rule
}

function isDenied(name: string): boolean {
  return DENIED.has(name) || DENIED_PREFIX.test(name)
}

function isAllowed(name: string): boolean {
  return (
    ALLOWED.has(name) ||
    ALLOWED_PREFIX.test(name) ||
    ALLOWED_PATTERN.some((pattern) => pattern.test(name))
  )
}
