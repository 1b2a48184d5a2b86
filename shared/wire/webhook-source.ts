/** Senders whose webhooks the service can verify (docs/webhook-sources.md). */
import { z } from 'zod'
import { WEBHOOK_SECRET_MAX_CHARACTERS, WEBHOOK_SECRET_MIN_CHARACTERS } from '../limits.ts'

/** `secret` is the sender's own name for the value of `webhook_secret`. */
export const WEBHOOK_SOURCES = {
  alchemy: { title: 'Alchemy', secret: 'signing key' },
  asana: { title: 'Asana', secret: 'X-Hook-Secret' },
  bitbucket: { title: 'Bitbucket', secret: 'secret' },
  box: { title: 'Box', secret: 'signature key' },
  cal_com: { title: 'Cal.com', secret: 'secret' },
  calendly: { title: 'Calendly', secret: 'signing key' },
  circle: { title: 'Circle', secret: 'public key' },
  circleci: { title: 'CircleCI', secret: 'secret token' },
  coinbase_cdp: { title: 'Coinbase CDP', secret: 'subscription secret' },
  coinbase_commerce: { title: 'Coinbase Commerce', secret: 'webhook shared secret' },
  discord: { title: 'Discord', secret: 'public key' },
  docusign: { title: 'DocuSign', secret: 'Connect HMAC key' },
  dropbox: { title: 'Dropbox', secret: 'app secret' },
  gitea: { title: 'Gitea, Forgejo', secret: 'secret' },
  github: { title: 'GitHub', secret: 'secret' },
  gitlab: { title: 'GitLab', secret: 'secret token' },
  goldsky: { title: 'Goldsky', secret: 'webhook secret' },
  helius: { title: 'Helius', secret: 'authentication header' },
  hubspot: { title: 'HubSpot', secret: 'client secret' },
  intercom: { title: 'Intercom', secret: 'client secret' },
  lemon_squeezy: { title: 'Lemon Squeezy', secret: 'signing secret' },
  line: { title: 'LINE', secret: 'channel secret' },
  linear: { title: 'Linear', secret: 'signing secret' },
  meta: { title: 'Meta (Facebook, Instagram)', secret: 'app secret' },
  moralis: { title: 'Moralis', secret: 'Streams secret key' },
  mux: { title: 'Mux', secret: 'signing secret' },
  paddle: { title: 'Paddle', secret: 'endpoint secret key' },
  pagerduty: { title: 'PagerDuty', secret: 'webhook secret' },
  paystack: { title: 'Paystack', secret: 'secret key' },
  quicknode: { title: 'QuickNode', secret: 'security token' },
  razorpay: { title: 'Razorpay', secret: 'webhook secret' },
  sendgrid: { title: 'SendGrid', secret: 'verification key' },
  sentry: { title: 'Sentry', secret: 'client secret' },
  shopify: { title: 'Shopify', secret: 'client secret' },
  slack: { title: 'Slack', secret: 'signing secret' },
  square: { title: 'Square', secret: 'signature key' },
  standard_webhooks: { title: 'Standard Webhooks', secret: 'signing secret' },
  stripe: { title: 'Stripe', secret: 'endpoint secret' },
  svix: { title: 'Svix', secret: 'signing secret' },
  telegram: { title: 'Telegram', secret: 'secret_token' },
  tenderly: { title: 'Tenderly', secret: 'signing key' },
  trello: { title: 'Trello', secret: 'application secret' },
  twilio: { title: 'Twilio', secret: 'auth token' },
  twitch: { title: 'Twitch', secret: 'secret' },
  typeform: { title: 'Typeform', secret: 'secret' },
  vercel: { title: 'Vercel', secret: 'secret' },
  whatsapp: { title: 'WhatsApp', secret: 'app secret' },
  woocommerce: { title: 'WooCommerce', secret: 'secret' },
  workos: { title: 'WorkOS', secret: 'signing secret' },
  x: { title: 'X', secret: 'API secret key' },
  zendesk: { title: 'Zendesk', secret: 'signing secret' },
  zoom: { title: 'Zoom', secret: 'secret token' },
} as const satisfies Record<string, { title: string; secret: string }>

export type WebhookSourceName = keyof typeof WEBHOOK_SOURCES

export const WEBHOOK_SOURCE_NAMES = Object.keys(WEBHOOK_SOURCES) as [
  WebhookSourceName,
  ...WebhookSourceName[],
]

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'expected a header name' })
  .toLowerCase()

/** Verification of a sender that is not listed: an HMAC of the body, or a secret token, in a header. */
const customSource = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hmac_sha256'),
    header: headerName.describe('Header with the HMAC-SHA256 of the body.'),
    encoding: z.enum(['hex', 'base64']).optional().describe('Default: hex.'),
    prefix: z
      .string()
      .regex(/^[\x21-\x7e]{1,32}$/, { error: 'expected up to 32 printable characters' })
      .optional()
      .describe('Text before the signature, such as sha256=.'),
  }),
  z.strictObject({
    type: z.literal('token'),
    header: headerName.describe('Header that contains the secret.'),
  }),
])

export const webhookSource = z.union([z.enum(WEBHOOK_SOURCE_NAMES), customSource])
export type WebhookSource = z.infer<typeof webhookSource>

const secretText = z
  .string()
  .min(WEBHOOK_SECRET_MIN_CHARACTERS)
  .max(WEBHOOK_SECRET_MAX_CHARACTERS)
  .regex(/^[^\0]*$/, { error: 'contains a NUL character' })

/** One secret, or two while the sender rotates it. */
export const webhookSecret = z.union([secretText, z.array(secretText).min(1).max(2)])
export type WebhookSecret = z.infer<typeof webhookSecret>

/** Reasons why a webhook was rejected, for the trigger's owner. Senders do not learn the reason. */
export const REJECTION_REASONS = [
  'missing_signature',
  'malformed_signature',
  'wrong_signature',
  'outside_tolerance',
  'body_not_signed',
  'no_secret',
] as const
export type RejectionReason = (typeof REJECTION_REASONS)[number]
