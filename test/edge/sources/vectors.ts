/**
 * Genuine webhooks of each sender. `published` ones are from the sender's documentation or its own libraries. For the
 * other senders, the signature is computed here with `node:crypto` from the sender's description of the algorithm.
 */
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { SignedRequest } from '../../../edge/sources/scheme.ts'
import type { WebhookSource } from '../../../shared/wire/webhook-source.ts'

export type Vector = {
  source: WebhookSource
  origin: 'published' | 'computed'
  secret: string
  request: SignedRequest
  /** Time of the signed timestamp, in Unix milliseconds; absent if the sender signs none. */
  signedAt?: number
  /** The header with the signature or secret. */
  header: string
}

const URL_ = 'https://edge.test/webhook/abc'
const BODY = '{"id":"evt_1","amount":100}'
const AT = Date.parse('2026-01-02T03:04:05Z')
const S = String(AT / 1000)
const SECRET = 'a-secret-for-tests-only'

type Bytes = string | Uint8Array
const hmac = (hash: string, key: Bytes, text: Bytes) => createHmac(hash, key).update(text)
const hex = (text: string, hash = 'sha256') => hmac(hash, SECRET, text).digest('hex')
const b64 = (text: string, hash = 'sha256') => hmac(hash, SECRET, text).digest('base64')

function request(
  headers: Record<string, string>,
  over: Partial<SignedRequest> = {},
): SignedRequest {
  const body = new TextEncoder().encode(BODY)
  const contentType = 'application/json'
  return { method: 'POST', url: URL_, contentType, body, headers, ...over }
}

const text = (body: string) => ({ body: new TextEncoder().encode(body) })

function computed(
  source: WebhookSource,
  header: string,
  value: string,
  more: Record<string, string> = {},
  over: Partial<SignedRequest> = {},
): Vector {
  const sent = request({ ...more, [header]: value }, over)
  return { source, origin: 'computed', secret: SECRET, request: sent, header }
}

const at = (vector: Vector): Vector => ({ ...vector, signedAt: AT })

function published(
  vector: Omit<Vector, 'origin' | 'request'> & { request: Partial<SignedRequest> },
): Vector {
  return { ...vector, origin: 'published', request: { ...request({}), ...vector.request } }
}

const ed25519 = generateKeyPairSync('ed25519')
const ed25519Raw = ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
const ed25519Sign = (content: string) => sign(null, Buffer.from(content), ed25519.privateKey)
const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const p256Spki = p256.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

const PUBLISHED: Vector[] = [
  // docs.github.com, "Validating webhook deliveries"
  published({
    source: 'github',
    secret: "It's a Secret to Everybody",
    header: 'x-hub-signature-256',
    request: {
      ...text('Hello, World!'),
      headers: {
        'x-hub-signature-256':
          'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
  }),
  // support.atlassian.com, "Manage webhooks"
  published({
    source: 'bitbucket',
    secret: "It's a Secret to Everybody",
    header: 'x-hub-signature',
    request: {
      ...text('Hello World!'),
      headers: {
        'x-hub-signature':
          'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9',
      },
    },
  }),
  // api.slack.com, "Verifying requests from Slack"
  published({
    source: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    header: 'x-slack-signature',
    signedAt: 1_531_420_618_000,
    request: {
      ...text(
        'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      ),
      contentType: 'application/x-www-form-urlencoded',
      headers: {
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
    },
  }),
  // Tests of twilio's own libraries
  published({
    source: 'twilio',
    secret: '12345',
    header: 'x-twilio-signature',
    request: {
      ...text(
        'Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE',
      ),
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
      contentType: 'application/x-www-form-urlencoded; charset=UTF-8',
      headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    },
  }),
  published({
    source: 'twilio',
    secret: '12345',
    header: 'x-twilio-signature',
    request: {
      ...text('Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234'),
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
      contentType: 'application/x-www-form-urlencoded',
      headers: { 'x-twilio-signature': 'IK+Dwps556ElfBT0I3Rgjkr1wJU=' },
    },
  }),
  published({
    source: 'twilio',
    secret: '12345',
    header: 'x-twilio-signature',
    request: {
      ...text('{"property": "value", "boolean": true}'),
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
      headers: { 'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=' },
    },
  }),
  // Tests of SendGrid's own libraries
  published({
    source: 'sendgrid',
    secret:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    header: 'x-twilio-email-event-webhook-signature',
    signedAt: 1_600_112_502_000,
    request: {
      ...text(
        '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
      ),
      headers: {
        'x-twilio-email-event-webhook-signature':
          'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
        'x-twilio-email-event-webhook-timestamp': '1600112502',
      },
    },
  }),
  // developer.squareup.com, "Verify and Validate an Event Notification"
  published({
    source: 'square',
    secret: 'asdf1234',
    header: 'x-square-hmacsha256-signature',
    request: {
      ...text('{"hello":"world"}'),
      url: 'https://example.com/webhook',
      headers: { 'x-square-hmacsha256-signature': '2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=' },
    },
  }),
  // standard-webhooks, tests of the reference implementation
  published({
    source: 'standard_webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    header: 'webhook-signature',
    signedAt: 1_614_265_330_000,
    request: {
      ...text('{"test": 2432232314}'),
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
  }),
  published({
    source: 'svix',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    header: 'svix-signature',
    signedAt: 1_614_265_330_000,
    request: {
      ...text('{"test": 2432232314}'),
      headers: {
        'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'svix-timestamp': '1614265330',
        'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
  }),
  // Tests of Box's own libraries
  ...(['SamplePrimaryKey', 'SampleSecondaryKey'] as const).map((secret) =>
    published({
      source: 'box',
      secret,
      header: secret === 'SamplePrimaryKey' ? 'box-signature-primary' : 'box-signature-secondary',
      signedAt: Date.parse('2020-01-01T00:00:00-07:00'),
      request: {
        ...text(
          '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
        ),
        headers: {
          'box-delivery-timestamp': '2020-01-01T00:00:00-07:00',
          'box-signature-primary': '6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=',
          'box-signature-secondary': 'v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo=',
        },
      },
    }),
  ),
]

const ISO = '2026-01-02T03:04:05.000Z'
const LINEAR = `{"type":"Issue","webhookTimestamp":${AT}}`
const HUBSPOT_URL = 'https://edge.test/webhook/abc?list=a%2Cb&x=1'
const HUBSPOT_SIGNED = 'https://edge.test/webhook/abc?list=a,b&x=1'

const COMPUTED: Vector[] = [
  computed('alchemy', 'x-alchemy-signature', hex(BODY)),
  computed('asana', 'x-hook-signature', hex(BODY)),
  computed('cal_com', 'x-cal-signature-256', hex(BODY)),
  at(computed('calendly', 'calendly-webhook-signature', `t=${S},v1=${hex(`${S}.${BODY}`)}`)),
  {
    ...computed(
      'circle',
      'x-circle-signature',
      sign('sha256', Buffer.from(BODY), p256.privateKey).toString('base64'),
    ),
    secret: p256Spki,
  },
  computed('circleci', 'circleci-signature', `v1=${hex(BODY)}`),
  at(
    computed(
      'coinbase_cdp',
      'x-hook0-signature',
      `t=${S},v0=${hex(`${S}.${BODY}`)},h=content-type x-event-id,v1=${hex(
        `${S}.content-type x-event-id.application/json.e1.${BODY}`,
      )}`,
      { 'content-type': 'application/json', 'x-event-id': 'e1' },
    ),
  ),
  computed('coinbase_commerce', 'x-cc-webhook-signature', hex(BODY)),
  {
    ...at(
      computed('discord', 'x-signature-ed25519', ed25519Sign(S + BODY).toString('hex'), {
        'x-signature-timestamp': S,
      }),
    ),
    secret: ed25519Raw.toString('hex'),
  },
  computed('docusign', 'x-docusign-signature-2', b64(BODY), {
    'x-docusign-signature-1': createHmac('sha256', 'another').update(BODY).digest('base64'),
  }),
  computed('dropbox', 'x-dropbox-signature', hex(BODY)),
  computed('gitea', 'x-gitea-signature', hex(BODY)),
  computed('gitlab', 'x-gitlab-token', SECRET),
  computed('goldsky', 'goldsky-webhook-secret', SECRET),
  computed('helius', 'authorization', SECRET),
  at(
    computed(
      'hubspot',
      'x-hubspot-signature-v3',
      b64(`POST${HUBSPOT_SIGNED}${BODY}${AT}`),
      { 'x-hubspot-request-timestamp': String(AT) },
      { url: HUBSPOT_URL },
    ),
  ),
  computed('intercom', 'x-hub-signature', `sha1=${hex(BODY, 'sha1')}`),
  computed('lemon_squeezy', 'x-signature', hex(BODY)),
  computed('line', 'x-line-signature', b64(BODY)),
  at(computed('linear', 'linear-signature', hex(LINEAR), {}, text(LINEAR))),
  computed('meta', 'x-hub-signature-256', `sha256=${hex(BODY)}`),
  computed('whatsapp', 'x-hub-signature-256', `sha256=${hex(BODY)}`),
  computed(
    'moralis',
    'x-signature',
    `0x${Buffer.from(keccak_256(Buffer.from(BODY + SECRET))).toString('hex')}`,
  ),
  at(computed('mux', 'mux-signature', `t=${S},v1=${hex(`${S}.${BODY}`)}`)),
  at(computed('paddle', 'paddle-signature', `ts=${S};h1=${hex(`${S}:${BODY}`)}`)),
  computed('pagerduty', 'x-pagerduty-signature', `v1=${'0'.repeat(64)},v1=${hex(BODY)}`),
  computed('paystack', 'x-paystack-signature', hex(BODY, 'sha512')),
  at(
    computed('quicknode', 'x-qn-signature', hex(`n1${S}${BODY}`), {
      'x-qn-nonce': 'n1',
      'x-qn-timestamp': S,
    }),
  ),
  computed('razorpay', 'x-razorpay-signature', hex(BODY)),
  computed('sentry', 'sentry-hook-signature', hex(BODY)),
  computed('shopify', 'x-shopify-hmac-sha256', b64(BODY)),
  {
    ...at(
      computed(
        'standard_webhooks',
        'webhook-signature',
        `v1a,${ed25519Sign(`msg_1.${S}.${BODY}`).toString('base64')}`,
        { 'webhook-id': 'msg_1', 'webhook-timestamp': S },
      ),
    ),
    secret: `whpk_${ed25519Raw.toString('base64')}`,
  },
  at(
    computed('stripe', 'stripe-signature', `t=${S},v1=${hex(`${S}.${BODY}`)},v0=${'6'.repeat(64)}`),
  ),
  computed('telegram', 'x-telegram-bot-api-secret-token', SECRET),
  at(computed('tenderly', 'x-tenderly-signature', hex(BODY + ISO), { date: ISO })),
  computed('trello', 'x-trello-webhook', b64(BODY + URL_, 'sha1')),
  at(
    computed('twitch', 'twitch-eventsub-message-signature', `sha256=${hex(`m1${ISO}${BODY}`)}`, {
      'twitch-eventsub-message-id': 'm1',
      'twitch-eventsub-message-timestamp': ISO,
    }),
  ),
  computed('typeform', 'typeform-signature', `sha256=${b64(BODY)}`),
  computed('vercel', 'x-vercel-signature', hex(BODY, 'sha1')),
  computed('woocommerce', 'x-wc-webhook-signature', b64(BODY)),
  at(computed('workos', 'workos-signature', `t=${AT}, v1=${hex(`${AT}.${BODY}`)}`)),
  computed('x', 'x-twitter-webhooks-signature', `sha256=${b64(BODY)}`),
  at(
    computed('zendesk', 'x-zendesk-webhook-signature', b64(ISO + BODY), {
      'x-zendesk-webhook-signature-timestamp': ISO,
    }),
  ),
  at(
    computed('zoom', 'x-zm-signature', `v0=${hex(`v0:${S}:${BODY}`)}`, {
      'x-zm-request-timestamp': S,
    }),
  ),
  computed({ type: 'hmac_sha256', header: 'x-mine' }, 'x-mine', hex(BODY)),
  computed(
    { type: 'hmac_sha256', header: 'x-mine', encoding: 'base64', prefix: 'sig:' },
    'x-mine',
    `sig:${b64(BODY)}`,
  ),
  computed({ type: 'token', header: 'x-mine' }, 'x-mine', SECRET),
]

export const VECTORS: readonly Vector[] = [...PUBLISHED, ...COMPUTED]

/** Hash of a JSON body, as Twilio adds it to the URL. */
export const sha256Hex = (body: string) => createHash('sha256').update(body).digest('hex')

export function vectorOf(source: WebhookSource): Vector {
  return VECTORS.find((vector) => vector.source === source)!
}
