/**
 * Decides which headers of a webhook request are passed to the action: headers that verify the sender or describe the
 * event. Deny rules take precedence over all other rules (`docs/decisions/0023`).
 */
import { memoize } from '../memoize.ts'

/** Headers with client credentials. Clients may send them by accident, so they are never passed to the action. */
const CREDENTIALS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
])

/** Headers that proxies and the platform set. They contain no information about the sender. */
const TRANSPORT = new Set([
  'cdn-loop',
  'x-real-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
])
/**
 * Prefixes of transport headers. `cf-webhook-auth` is excluded, because Cloudflare's notifications send their secret in
 * it and the platform itself does not set it.
 */
const TRANSPORT_PREFIX = /^(cf-(?!webhook-auth$)|x-forwarded-|proxy-)/

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
  'cf-webhook-auth',
  'verification-token',
  'hashstring',
  'x-auth-token',
  'x-callback-token',
  'x-secret',
  'x-token',
  'x-verify',
  'asaas-access-token',
  'client-id',
  'honeybadger-token',
  'request-id',
  'x-ably-key',
  'x-authentication-tag',
  'x-authenticity-token',
  'x-clover-auth',
  'x-codeup-token',
  'x-freee-token',
  'x-hotmart-hottok',
  'x-initialization-vector',
  'x-pusher-key',
  'x-snipcart-requesttoken',
  'x-squad-encrypted-body',
  'x-vapi-secret',
])
const ALLOWED_PREFIX =
  /^(ce-|svix-|webhook-|x-hub-|x-github-|x-gitlab-|x-gitea-|x-gitee-|x-forgejo-|x-gogs-|x-goog-|x-shopify-|x-slack-|x-sonos-|x-wc-webhook-|paypal-|twitch-eventsub-|stripe-|wechatpay-|x-amz-sns-|linear-|x-qn-|box-|aeg-)/
const ALLOWED_PATTERN = [
  // No hyphen is required before these words: Adyen sends `hmacsignature`, and Chatwork `x-chatworkwebhooksignature`.
  /signature|hmac/,
  /(^|-)(digest|hash|mac|md5|sha256|sig)(-|$)/,
  /(^|-)sign$/,
  /(^|-)(timestamp|nonce)$/,
  /(^|-)(event|topic|delivery|webhook|hook|retry|idempotency)(-[a-z]+)*$/,
]

type HeaderRule = 'deny' | 'allow' | 'only_named'

/**
 * Maximum number of cached rules. Senders repeat the same few header names, and matching a name against the patterns is
 * expensive.
 */
const CACHED_MAX = 1_000
const cachedRule = memoize(CACHED_MAX, (name): HeaderRule =>
  denialOf(name) ? 'deny' : isAllowed(name) ? 'allow' : 'only_named',
)

/**
 * Maximum length of a header name. No known sender uses a longer name. Matching a longer name against the patterns
 * could take seconds, and the rule cache would retain the name.
 */
const NAME_MAX_CHARACTERS = 128

/** @param name lower-case header name */
export function ruleFor(name: string): HeaderRule {
  return name.length > NAME_MAX_CHARACTERS ? 'deny' : cachedRule(name)
}

/** Returns the reason why a header must not be passed to an action, or `undefined` if the header is not denied. */
export function denialOf(name: string): 'credential' | 'transport' | undefined {
  if (CREDENTIALS.has(name)) return 'credential'
  return TRANSPORT.has(name) || TRANSPORT_PREFIX.test(name) ? 'transport' : undefined
}

function isAllowed(name: string): boolean {
  return (
    ALLOWED.has(name) ||
    ALLOWED_PREFIX.test(name) ||
    ALLOWED_PATTERN.some((pattern) => pattern.test(name))
  )
}
