/**
 * Which of a webhook's headers reach the action (specification, Webhook header rules; `decisions.md`, Headers
 * passed): those that verify the sender or describe the event, never a credential of somebody else.
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

/** Headers whose value is the secret itself: the action needs them, a history must not show them. */
export const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'x-gitlab-token',
  'x-telegram-bot-api-secret-token',
  'verif-hash',
  'dg-token',
  'x-buildkite-token',
  'goldsky-webhook-secret',
  'x-hook-secret',
])

/** Bounds of what is kept: real senders stay far below, and a row has to hold it. */
const HEADERS_MAX = 64
const VALUE_MAX_CHARACTERS = 8 * 1024
const TOTAL_MAX_CHARACTERS = 32 * 1024

export type SafeHeaders = { headers: Record<string, string>; truncated: boolean }

/** The headers that are passed, names in lower case. */
export function safeHeaders(received: Headers): SafeHeaders {
  // Read once: each entry crosses from the platform.
  const entries = [...received]
  const named = namedInSignatures(entries)
  // No prototype: a header may be called `__proto__`.
  const headers: Record<string, string> = Object.create(null)
  let count = 0
  let total = 0
  let truncated = false
  for (const [name, value] of entries) {
    const rule = ruleFor(name)
    if (rule === 'deny' || (rule === 'only_named' && !named?.has(name))) continue
    total += name.length + value.length
    if (
      ++count > HEADERS_MAX ||
      value.length > VALUE_MAX_CHARACTERS ||
      total > TOTAL_MAX_CHARACTERS
    )
      truncated = true
    else headers[name] = value
  }
  return { headers, truncated }
}

type Rule = 'deny' | 'allow' | 'only_named'

/** Rules by name: senders use the same few names again and again, and the patterns are most of the work. */
const rules = new Map<string, Rule>()
const RULES_MAX = 1_000

function ruleFor(name: string): Rule {
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

/** Some senders sign headers that they name in the signature itself, or beside it. */
function namedInSignatures(received: readonly [string, string][]): Set<string> | undefined {
  let named: Set<string> | undefined
  for (const [name, value] of received) {
    if (!name.includes('sign')) continue
    for (const header of namesIn(name, value)) (named ??= new Set()).add(header.toLowerCase())
  }
  return named
}

function namesIn(name: string, value: string): string[] {
  if (name.endsWith('signed-headers')) return value.split(/[,\s]+/)
  // RFC 9421, section 4.1: the covered components are quoted, in parentheses.
  if (name === 'signature-input')
    return [...value.matchAll(/"([a-z0-9-]+)"/g)].map((found) => found[1]!)
  if (!name.includes('signature') || !/\b(h|headers)=/.test(value)) return []
  const lists = value.matchAll(/(?:^|[,;\s])(?:h|headers)="?([^",;]+)"?/g)
  return [...lists].flatMap((found) => found[1]!.split(/\s+/))
}
