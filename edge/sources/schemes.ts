import type { WebhookSource, WebhookSourceName } from '../../shared/wire/webhook-source.ts'
import { hook0Content } from './hook0.ts'
import { hubspotContent } from './hubspot.ts'
import type {
  Algorithm,
  Scheme,
  SignatureLocation,
  SignatureScheme,
  TimestampLocation,
} from './scheme.ts'
import { twilioContent } from './twilio.ts'
import { xContent } from './x.ts'

const SHA1: Algorithm = { name: 'hmac', hash: 'SHA-1', key: 'text' }
const SHA256: Algorithm = { name: 'hmac', hash: 'SHA-256', key: 'text' }
const SHA512: Algorithm = { name: 'hmac', hash: 'SHA-512', key: 'text' }
const ED25519: Algorithm = { name: 'ed25519', key: 'hex' }
const ECDSA: Algorithm = { name: 'ecdsa', key: 'spki' }

const hex = (header: SignatureLocation['header'], prefix?: string): SignatureLocation => ({
  header,
  encoding: 'hex',
  ...(prefix === undefined ? {} : { prefix }),
})
const base64 = (header: SignatureLocation['header'], prefix?: string): SignatureLocation => ({
  ...hex(header, prefix),
  encoding: 'base64',
})
const field = (header: string, name: string, separator: ',' | ';' = ','): SignatureLocation => ({
  header,
  encoding: 'hex',
  field: { name, separator, equals: '=' },
})
const token = (header: string): Scheme => ({ by: 'token', header })

function signed(
  algorithm: Algorithm,
  signature: SignatureLocation,
  content: SignatureScheme['content'] = '{body}',
  timestamp?: TimestampLocation,
): Scheme {
  return { by: 'signature', algorithm, signature, content, ...(timestamp ? { timestamp } : {}) }
}

/** Header with a timestamp in seconds. */
const seconds = (header: string): TimestampLocation => ({ header, unit: 's' })

/** The signature version depends on the secret: `whsec_` for HMAC (v1), `whpk_` for Ed25519 (v1a). */
function standardWebhooks(family: 'webhook' | 'svix', secret: string): Scheme {
  const isPublicKey = secret.startsWith('whpk_')
  const signature: SignatureLocation = {
    header: `${family}-signature`,
    encoding: 'base64',
    field: { name: isPublicKey ? 'v1a' : 'v1', separator: ' ', equals: ',' },
  }
  const algorithm: Algorithm = isPublicKey
    ? { name: 'ed25519', key: 'standard' }
    : { name: 'hmac', hash: 'SHA-256', key: 'standard' }
  const content = `{${family}-id}.{timestamp}.{body}`
  return signed(algorithm, signature, content, seconds(`${family}-timestamp`))
}

const META = signed(SHA256, hex('x-hub-signature-256', 'sha256='))

const SCHEMES: Record<Exclude<WebhookSourceName, 'standard_webhooks' | 'svix'>, Scheme> = {
  alchemy: signed(SHA256, hex('x-alchemy-signature')),
  asana: signed(SHA256, hex('x-hook-signature')),
  bitbucket: signed(SHA256, hex('x-hub-signature', 'sha256=')),
  // The sender signs with both of an application's keys, each in its own header.
  box: signed(
    SHA256,
    base64(['box-signature-primary', 'box-signature-secondary']),
    '{body}{timestamp}',
    { header: 'box-delivery-timestamp', unit: 'date' },
  ),
  cal_com: signed(SHA256, hex('x-cal-signature-256')),
  calendly: signed(SHA256, field('calendly-webhook-signature', 'v1'), '{timestamp}.{body}', {
    field: 't',
    unit: 's',
  }),
  circle: signed(ECDSA, base64('x-circle-signature')),
  circleci: signed(SHA256, field('circleci-signature', 'v1')),
  // v0 does not cover the headers, so only v1 is accepted.
  coinbase_cdp: signed(SHA256, field('x-hook0-signature', 'v1'), hook0Content, {
    field: 't',
    unit: 's',
  }),
  coinbase_commerce: signed(SHA256, hex('x-cc-webhook-signature')),
  discord: signed(
    ED25519,
    hex('x-signature-ed25519'),
    '{timestamp}{body}',
    seconds('x-signature-timestamp'),
  ),
  docusign: signed(SHA256, base64(/^x-docusign-signature-\d{1,3}$/)),
  dropbox: signed(SHA256, hex('x-dropbox-signature')),
  gitea: signed(SHA256, hex('x-gitea-signature')),
  github: signed(SHA256, hex('x-hub-signature-256', 'sha256=')),
  gitlab: token('x-gitlab-token'),
  goldsky: token('goldsky-webhook-secret'),
  helius: token('authorization'),
  hubspot: signed(SHA256, base64('x-hubspot-signature-v3'), hubspotContent, {
    header: 'x-hubspot-request-timestamp',
    unit: 'ms',
  }),
  intercom: signed(SHA1, hex('x-hub-signature', 'sha1=')),
  lemon_squeezy: signed(SHA256, hex('x-signature')),
  line: signed(SHA256, base64('x-line-signature')),
  linear: signed(SHA256, hex('linear-signature'), '{body}', {
    member: 'webhookTimestamp',
    unit: 'ms',
  }),
  meta: META,
  moralis: signed({ name: 'keccak256', key: 'text' }, hex('x-signature')),
  mux: signed(SHA256, field('mux-signature', 'v1'), '{timestamp}.{body}', {
    field: 't',
    unit: 's',
  }),
  paddle: signed(SHA256, field('paddle-signature', 'h1', ';'), '{timestamp}:{body}', {
    field: 'ts',
    unit: 's',
  }),
  pagerduty: signed(SHA256, field('x-pagerduty-signature', 'v1')),
  paystack: signed(SHA512, hex('x-paystack-signature')),
  quicknode: signed(
    SHA256,
    hex('x-qn-signature'),
    '{x-qn-nonce}{timestamp}{body}',
    seconds('x-qn-timestamp'),
  ),
  razorpay: signed(SHA256, hex('x-razorpay-signature')),
  sendgrid: signed(
    ECDSA,
    base64('x-twilio-email-event-webhook-signature'),
    '{timestamp}{body}',
    seconds('x-twilio-email-event-webhook-timestamp'),
  ),
  sentry: signed(SHA256, hex('sentry-hook-signature')),
  shopify: signed(SHA256, base64('x-shopify-hmac-sha256')),
  slack: signed(
    SHA256,
    hex('x-slack-signature', 'v0='),
    'v0:{timestamp}:{body}',
    seconds('x-slack-request-timestamp'),
  ),
  square: signed(SHA256, base64('x-square-hmacsha256-signature'), '{url}{body}'),
  // v0 is for test events only.
  stripe: signed(SHA256, field('stripe-signature', 'v1'), '{timestamp}.{body}', {
    field: 't',
    unit: 's',
  }),
  telegram: token('x-telegram-bot-api-secret-token'),
  tenderly: signed(SHA256, hex('x-tenderly-signature'), '{body}{timestamp}', {
    header: 'date',
    unit: 'date',
  }),
  trello: signed(SHA1, base64('x-trello-webhook'), '{body}{url}'),
  twilio: signed(SHA1, base64('x-twilio-signature'), twilioContent),
  twitch: signed(
    SHA256,
    hex('twitch-eventsub-message-signature', 'sha256='),
    '{twitch-eventsub-message-id}{timestamp}{body}',
    { header: 'twitch-eventsub-message-timestamp', unit: 'date' },
  ),
  typeform: signed(SHA256, base64('typeform-signature', 'sha256=')),
  vercel: signed(SHA1, hex('x-vercel-signature')),
  whatsapp: META,
  woocommerce: signed(SHA256, base64('x-wc-webhook-signature')),
  workos: signed(SHA256, field('workos-signature', 'v1'), '{timestamp}.{body}', {
    field: 't',
    unit: 'ms',
  }),
  x: signed(SHA256, base64('x-twitter-webhooks-signature', 'sha256='), xContent),
  zendesk: signed(SHA256, base64('x-zendesk-webhook-signature'), '{timestamp}{body}', {
    header: 'x-zendesk-webhook-signature-timestamp',
    unit: 'date',
  }),
  zoom: signed(
    SHA256,
    hex('x-zm-signature', 'v0='),
    'v0:{timestamp}:{body}',
    seconds('x-zm-request-timestamp'),
  ),
}

/** @param secret the secret that the scheme will be used with, because it selects the version of some signatures */
export function schemeOf(source: WebhookSource, secret: string): Scheme {
  if (source === 'standard_webhooks') return standardWebhooks('webhook', secret)
  if (source === 'svix') return standardWebhooks('svix', secret)
  if (typeof source === 'string') return SCHEMES[source]
  if (source.type === 'token') return token(source.header)
  const { header, encoding = 'hex', prefix } = source
  return signed(SHA256, encoding === 'hex' ? hex(header, prefix) : base64(header, prefix))
}
