import { describe, expect, it } from 'vitest'
import { selectHeaders } from '../../../edge/triggers/webhook-headers.ts'

const passed = (headers: Record<string, string>) =>
  Object.keys(selectHeaders(new Headers(headers)).headers)

/** Headers with which known senders sign, or that describe their events. */
const SENDERS = `
x-hub-signature-256 x-hub-signature x-github-event x-github-delivery x-github-hook-id
x-github-hook-installation-target-type x-github-enterprise-host x-gitea-signature x-gitea-event-type
x-forgejo-event x-gogs-signature x-gitlab-token x-gitlab-event x-gitlab-event-uuid x-gitlab-webhook-uuid
x-gitlab-instance idempotency-key x-event-key x-hook-uuid x-request-uuid x-attempt-number
x-atlassian-webhook-identifier stripe-signature x-slack-signature x-slack-request-timestamp
x-slack-retry-num x-slack-retry-reason x-shopify-hmac-sha256 x-shopify-topic x-shopify-shop-domain
x-shopify-name webhook-id webhook-timestamp webhook-signature svix-id svix-timestamp svix-signature
x-twilio-signature i-twilio-idempotency-token x-twilio-email-event-webhook-signature
x-twilio-email-event-webhook-timestamp linear-signature linear-delivery linear-event linear-timestamp
x-signature-ed25519 x-signature-timestamp x-telegram-bot-api-secret-token x-zm-signature
x-zm-request-timestamp x-zm-trackingid paypal-transmission-id paypal-cert-url x-cc-webhook-signature
x-hook0-signature x-event-id x-event-type x-alchemy-signature x-qn-signature x-qn-nonce stream-id
batch-start-range batch-end-range content-encoding x-tenderly-signature date x-signature
goldsky-webhook-secret twitch-eventsub-message-id x-twitter-webhooks-signature
x-square-hmacsha256-signature square-initial-delivery-timestamp square-retry-number square-retry-reason
x-hubspot-signature-v3 x-hubspot-request-timestamp x-hubspot-signature-version x-trello-webhook
x-mandrill-signature x-zendesk-webhook-signature x-zendesk-webhook-signature-timestamp
x-zendesk-webhook-id x-zendesk-webhook-invocation-id x-hook-signature x-hook-secret
box-signature-primary box-delivery-id x-dropbox-signature aeg-event-type webhook-request-origin
smartsheet-hook-challenge smartsheet-hmac-sha256 x-adobesign-clientid x-xero-signature
x-notion-signature x-docusign-signature-1 x-amz-sns-message-type x-amz-sns-topic-arn paddle-signature
x-razorpay-event-id x-event-name x-signature-sha256 x-delivery-id cko-signature x-circle-signature
x-circle-key-id btcpay-sig verif-hash plaid-verification persona-signature x-payload-digest
x-payload-digest-alg x-sha2-signature x-auth-client x-vercel-signature circleci-signature
x-buildkite-signature x-buildkite-token x-buildkite-event heroku-webhook-hmac-sha256
sentry-hook-signature sentry-hook-timestamp sentry-hook-resource x-pagerduty-signature x-webhook-id
x-ld-signature x-tfe-notification-signature x-grafana-alerting-signature x-npm-signature signature
x-webflow-signature x-webflow-timestamp x-wc-webhook-delivery-id typeform-signature
calendly-webhook-signature x-cal-signature-256 x-contentful-signature x-contentful-timestamp
x-contentful-signed-headers x-contentful-crn sanity-webhook-signature mux-signature
x-airtable-content-mac x-cio-timestamp klaviyo-timestamp x-front-signature x-helpscout-event
workos-signature x-fusionauth-signature-jwt elevenlabs-signature dg-token dg-signature
x-line-signature x-viber-content-signature telnyx-signature-ed25519 telnyx-timestamp
messagebird-signature-jwt messagebird-request-timestamp x-plivo-signature-v2 x-plivo-signature-v2-nonce
validation-token tiktok-signature x-ebay-signature x-hmac-signature x-shipengine-rsa-sha256-signature
x-shipengine-rsa-sha256-key-id x-shipengine-timestamp aftership-hmac-sha256 intuit-signature
recurly-signature ce-id ce-type content-type content-digest digest signature-input user-agent
x-idempotency-key x-request-id x-timestamp x-nonce x-hub-delivery
x-goog-channel-id x-goog-channel-token x-goog-channel-expiration x-goog-resource-id x-goog-resource-state
x-goog-resource-uri x-goog-message-number x-goog-changed hmacsignature verification-token x-callback-token
x-gitee-token x-gitee-event x-gitee-timestamp x-gitee-ping sign timestamp x-verify hashstring
cf-webhook-auth x-auth-token x-token x-secret asaas-access-token client-id request-id honeybadger-token
x-ably-key x-authentication-tag x-authenticity-token x-clover-auth x-codeup-token x-freee-token
x-hotmart-hottok x-initialization-vector x-pusher-key x-snipcart-requesttoken x-squad-encrypted-body
x-vapi-secret wechatpay-serial wechatpay-signature-type x-sonos-target-value x-nowpayments-sig
x-chatworkwebhooksignature content-sha256 content-md5
`
  .trim()
  .split(/\s+/)

describe('passed headers', () => {
  it.each(SENDERS)('include %s', (name) => {
    expect(passed({ [name]: 'v' })).toEqual([name])
  })

  it.each([
    ['x-hook0-signature', 't=1,h=x-custom x-Other,v1=ab'],
    ['x-hub-signature', 'headers="x-custom x-other"'],
    ['x-contentful-signed-headers', 'X-Custom,x-other'],
    ['signature-input', 'sig1=("@method" "x-custom" "x-other");created=1'],
  ])('include those that %s names', (name, value) => {
    const headers = { [name]: value, 'x-custom': 'a', 'x-other': 'b', 'x-third': 'c' }
    expect(passed(headers)).toEqual([name, 'x-custom', 'x-other'].toSorted())
  })
})

it('joins the values of a header that was sent twice', () => {
  const twice = new Headers([
    ['x-signature', 'a'],
    ['X-Signature', 'b'],
  ])
  expect({ ...selectHeaders(twice).headers }).toEqual({ 'x-signature': 'a, b' })
})

describe('withheld headers', () => {
  const DENIED = `authorization proxy-authorization cookie set-cookie x-api-key cdn-loop x-real-ip
    forwarded true-client-ip via connection keep-alive te trailer transfer-encoding upgrade host
    proxy-connection proxy-signature cf-connecting-ip cf-ray cf-webhook-signature cf-webhook-auth-signature
    cf-access-jwt-assertion x-forwarded-for x-forwarded-host x-forwarded-signature`.split(/\s+/)

  it.each(DENIED)('stolen credential, or a name that any client can claim: %s', (name) => {
    const named = { 'x-hook0-signature': `h=${name}`, 'signature-input': `a=("${name}")` }
    expect(passed({ [name]: 'v', ...named })).not.toContain(name)
  })

  it.each([
    ['x-hook0-signature', (name: string) => `t=1,h=${name.toUpperCase()},v1=ab`],
    ['x-hub-signature', (name: string) => `headers="host ${name}"`],
    ['x-contentful-signed-headers', (name: string) => `x-a,${name}`],
    ['signature-input', (name: string) => `sig1=("@method" "${name}");created=1`],
  ])('stolen credential: is withheld although %s names it', (name, naming) => {
    for (const denied of DENIED)
      expect(passed({ [denied]: 'stolen', [name]: naming(denied) })).not.toContain(denied)
  })

  it('include those that are named by a header that only resembles a signature', () => {
    const signed = { 'x-signed-headers': 'x-custom', 'x-design': 'h=x-custom' }
    expect(passed({ ...signed, 'x-custom': 'v' })).toEqual([])
    // A header of the platform is not a signature of the sender.
    expect(passed({ 'cf-signature': 'h=x-custom', 'x-custom': 'v' })).toEqual([])
  })

  it('include those that are named by a signature parameter, and not by its list', () => {
    const headers = { 'signature-input': 'a=("date");keyid="x-custom"', 'x-custom': 'v' }
    expect(passed(headers)).toEqual(['signature-input'])
  })

  it.each(['accept', 'private-token', 'x-custom', 'api-key', 'x-client-ip', 'referer', 'origin'])(
    'include %s, unless a signature names it',
    (name) => expect(passed({ [name]: 'v' })).toEqual([]),
  )
})

describe('header flood', () => {
  it('limits headers that match no rule to 64, and reports the truncation', () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`x-${100 + i}`, 'v']))
    const { withheld, withheldTruncated, truncated } = selectHeaders(new Headers(many))
    expect([Object.keys(withheld).length, withheldTruncated, truncated]).toEqual([64, true, false])
  })

  it('limits passed headers to 64, and reports the truncation', () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`ce-${100 + i}`, 'v']))
    const { headers, truncated } = selectHeaders(new Headers(many))
    expect([Object.keys(headers).length, truncated]).toEqual([64, true])
    expect(selectHeaders(new Headers({ date: 'v' })).truncated).toBe(false)
  })

  it('drops values of over 8 KiB, and headers after a total of 32 KiB', () => {
    const large = { 'ce-a': 'x'.repeat(8 * 1024), 'ce-b': 'x'.repeat(8 * 1024 + 1) }
    expect(passed(large)).toEqual(['ce-a'])
    const five = Object.fromEntries('abcde'.split('').map((c) => [`ce-${c}`, 'x'.repeat(8_000)]))
    expect(passed(five)).toEqual(['ce-a', 'ce-b', 'ce-c', 'ce-d'])
  })

  it('does not count dropped headers: a signature passes next to a huge header', () => {
    const { headers, truncated } = selectHeaders(
      new Headers({ 'ce-huge': 'x'.repeat(40 * 1024), 'x-signature': 'ab' }),
    )
    expect([Object.keys(headers), truncated]).toEqual([['x-signature'], true])
  })

  it('matches a name of 64 KiB quickly, which once took seconds', () => {
    const name = `${'event-'.repeat(11_000)}1`
    const began = performance.now()
    const { headers, withheld } = selectHeaders(new Headers({ [name]: 'v', 'x-signature': 'ab' }))
    expect(performance.now() - began).toBeLessThan(500)
    expect([{ ...headers }, { ...withheld }]).toEqual([{ 'x-signature': 'ab' }, {}])
  })

  it('passes only names of up to 128 characters', () => {
    const name = `x-${'e'.repeat(120)}-event`
    expect([passed({ [name]: 'v' }), passed({ [`x${name}`]: 'v' })]).toEqual([[name], []])
  })

  it('does not treat a list of names of over 8 KiB as a signature', () => {
    const names = `h=x-custom ${'x'.repeat(8 * 1024)}`
    expect(passed({ 'x-signature': names, 'x-custom': 'v' })).toEqual([])
  })
})
