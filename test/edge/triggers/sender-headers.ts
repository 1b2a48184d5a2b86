/**
 * Headers of known senders, one per line. A header with `-` must not reach the action. A header with `!` must reach it,
 * and is itself a secret.
 */
export const SENDERS: Record<string, string> = {
  GitHub: `
    user-agent: GitHub-Hookshot/044aadd
    content-type: application/json
    x-github-event: push
    x-github-delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958
    x-github-hook-id: 292430182
    x-github-hook-installation-target-id: 79929171
    x-github-hook-installation-target-type: repository
    x-hub-signature: sha1=7d38cdd689735b008b3c702edd92eea23791c5f6
    x-hub-signature-256: sha256=d57c68ca6f92289e6987922ff26938930f6e66a2d161ef06abdf1859230aa23c
    - accept: */*`,
  'GitHub Enterprise': `
    x-github-event: issues
    x-github-enterprise-host: github.example.test
    x-github-enterprise-version: 3.14.0
    x-hub-signature-256: sha256=00`,
  Gitea: `
    x-gitea-delivery: f6266f16-1bf3-46a5-9ea4-602e06ead473
    x-gitea-event: push
    x-gitea-event-type: push
    x-gitea-signature: 4f1c
    x-hub-signature-256: sha256=4f1c
    x-gogs-event: push
    x-gogs-signature: 4f1c`,
  Forgejo: `
    x-forgejo-delivery: d1
    x-forgejo-event: push
    x-forgejo-signature: 4f1c`,
  Gogs: `
    x-gogs-delivery: d1
    x-gogs-event: push
    x-gogs-signature: 4f1c`,
  GitLab: `
    user-agent: GitLab/17.0.0
    x-gitlab-event: Push Hook
    x-gitlab-instance: https://gitlab.example.test
    x-gitlab-webhook-uuid: 02affd2d-2cba-4033-917d-ec22d5dc4b38
    x-gitlab-event-uuid: 13792a34-cac6-4fda-95a8-c58e00a3954e
    idempotency-key: f5e57ebe-07c7-4ba2-aa5b-b2c8bf1a2d8c
    ! x-gitlab-token: hunter2`,
  Bitbucket: `
    x-event-key: repo:push
    x-hook-uuid: 4b0e9f7e
    x-request-uuid: 9ef0
    x-attempt-number: 1
    x-hub-signature: sha256=ab`,
  Jira: `
    x-atlassian-webhook-identifier: 5d3f
    x-hub-signature: sha256=ab`,
  Stripe: `
    user-agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)
    stripe-signature: t=1492774577,v1=5257a869,v1=6ffbb59b,v0=6ffbb59b
    - cache-control: no-cache`,
  Slack: `
    user-agent: Slackbot 1.0 (+https://api.slack.com/robots)
    x-slack-signature: v0=a2114d57
    x-slack-request-timestamp: 1531420618
    x-slack-retry-num: 1
    x-slack-retry-reason: http_timeout`,
  Shopify: `
    x-shopify-topic: orders/create
    x-shopify-hmac-sha256: XWmrwMey6OsLMeiZKwP4FppHH3cmAiiJJAweH5Jo4bM=
    x-shopify-shop-domain: shop.example.test
    x-shopify-api-version: 2026-01
    x-shopify-webhook-id: b54557e4-bdd9-4b37-8a5f-bf7d70bcd043
    x-shopify-event-id: 98880550-7158-44d4-b7cd-2c97c8a091b5
    x-shopify-triggered-at: 2026-03-29T18:00:27.877041743Z
    x-shopify-name: orders
    x-shopify-sub-topic: type:1`,
  'Standard Webhooks': `
    webhook-id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W
    webhook-timestamp: 1674087231
    webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==`,
  Svix: `
    svix-id: msg_p5jXN8AQM9LWM0D4loKWxJek
    svix-timestamp: 1614265330
    svix-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=`,
  Twilio: `
    user-agent: TwilioProxy/1.1
    content-type: application/x-www-form-urlencoded; charset=UTF-8
    x-twilio-signature: 0/KCTR6DLpKmkAf8muzZqo1nDgQ=
    i-twilio-idempotency-token: 8c3a`,
  SendGrid: `
    x-twilio-email-event-webhook-signature: MEUCIGHQVtGj
    x-twilio-email-event-webhook-timestamp: 1600112502`,
  Linear: `
    linear-delivery: 234d1a4e-b617-4388-90fe-adc3633d6b72
    linear-event: Issue
    linear-signature: 766e1d90
    linear-timestamp: 1676056940508`,
  Discord: `
    x-signature-ed25519: 1a2b
    x-signature-timestamp: 1700000000`,
  'Meta, WhatsApp, Instagram': `
    user-agent: facebookexternalua
    x-hub-signature: sha1=ab
    x-hub-signature-256: sha256=ab`,
  Telegram: `
    ! x-telegram-bot-api-secret-token: hunter2`,
  Zoom: `
    x-zm-request-timestamp: 1658940994
    x-zm-signature: v0=a05d
    x-zm-trackingid: v=2.0;clid=us06
    - authorization: an old verification token`,
  PayPal: `
    paypal-transmission-id: 69cd13f0-d67a-11e5-baa3-778b53f4ae55
    paypal-transmission-time: 2016-02-18T20:01:35Z
    paypal-transmission-sig: lmI95Jx3
    paypal-cert-url: https://api.paypal.com/v1/notifications/certs/CERT-1
    paypal-auth-algo: SHA256withRSA
    paypal-auth-version: v2`,
  'Coinbase Commerce': `
    x-cc-webhook-signature: ab`,
  'Coinbase CDP': `
    x-hook0-signature: t=1728652800,h=content-type x-event-id x-cdp-network,v1=ab
    x-event-id: 1
    x-event-type: onchain.activity.detected
    x-cdp-network: base
    - x-cdp-other: not signed`,
  Alchemy: `
    x-alchemy-signature: ab`,
  QuickNode: `
    x-qn-nonce: ab
    x-qn-timestamp: 1700000000
    x-qn-signature: ab
    x-qn-content-hash: ab
    stream-id: 1
    batch-start-range: 100
    batch-end-range: 101
    content-encoding: gzip`,
  Tenderly: `
    x-tenderly-signature: ab
    date: Tue, 29 Mar 2026 18:00:27 GMT`,
  Moralis: `
    x-signature: 0xab`,
  Goldsky: `
    ! goldsky-webhook-secret: hunter2`,
  'Pub/Sub, Google Chat, Bot Framework': `
    content-type: application/json
    - authorization: Bearer eyJhbGciOi`,
  'Twitch EventSub': `
    twitch-eventsub-message-id: e76c6bd4
    twitch-eventsub-message-timestamp: 2026-03-29T18:00:27Z
    twitch-eventsub-message-signature: sha256=ab
    twitch-eventsub-message-type: notification
    twitch-eventsub-message-retry: 0
    twitch-eventsub-subscription-type: channel.follow
    twitch-eventsub-subscription-version: 2`,
  'X (Twitter)': `
    x-twitter-webhooks-signature: sha256=ab`,
  Square: `
    x-square-hmacsha256-signature: 2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=
    square-initial-delivery-timestamp: 2026-03-29T18:00:27Z
    square-retry-number: 1
    square-retry-reason: http_timeout`,
  HubSpot: `
    x-hubspot-signature: ab
    x-hubspot-signature-version: v2
    x-hubspot-signature-v3: ab
    x-hubspot-request-timestamp: 1700000000`,
  Trello: `
    x-trello-webhook: ab`,
  Mandrill: `
    x-mandrill-signature: ab`,
  Zendesk: `
    x-zendesk-webhook-signature: ab
    x-zendesk-webhook-signature-timestamp: 2026-03-29T18:00:27Z
    x-zendesk-webhook-id: 01F1KRFQ6BG29CNWFR60NK5FNY
    x-zendesk-webhook-invocation-id: 8350205582`,
  Asana: `
    x-hook-signature: ab`,
  'Asana, its handshake': `
    ! x-hook-secret: b537207f20cbfa02357cf448134da559`,
  Box: `
    box-delivery-id: f96bb54b
    box-delivery-timestamp: 2026-01-01T00:00:00-07:00
    box-signature-algorithm: HmacSHA256
    box-signature-primary: 4KvFa5
    box-signature-secondary: mSaTlE
    box-signature-version: 1`,
  Dropbox: `
    x-dropbox-signature: ab`,
  'Azure Event Grid': `
    aeg-event-type: Notification
    aeg-subscription-name: ONE
    aeg-delivery-count: 0
    aeg-data-version: 1.0
    webhook-request-origin: eventgrid.azure.net`,
  'CloudEvents, binary mode': `
    ce-id: 1
    ce-source: /mine
    ce-specversion: 1.0
    ce-type: one
    ce-time: 2026-03-29T18:00:27Z
    ce-myextension: value`,
  Smartsheet: `
    smartsheet-hmac-sha256: ab
    smartsheet-hook-challenge: 4d0a
    - smartsheet-plan: free`,
  'Adobe Sign': `
    x-adobesign-clientid: CBJCHBCAABAA`,
  Xero: `
    x-xero-signature: ab=`,
  Notion: `
    x-notion-signature: sha256=ab`,
  DocuSign: `
    x-docusign-signature-1: ab
    x-docusign-signature-2: ab`,
  Intercom: `
    x-hub-signature: sha1=ab`,
  'AWS SNS': `
    x-amz-sns-message-type: Notification
    x-amz-sns-message-id: 165545c9
    x-amz-sns-topic-arn: arn:aws:sns:us-west-2:123456789012:MyTopic
    x-amz-sns-subscription-arn: arn:aws:sns:us-west-2:123456789012:MyTopic:c9135db0`,
  'Cloudflare Stream': `
    webhook-signature: time=1230811200,sig1=60493ec9
    - cf-ray: 84e0`,
  Paddle: `
    paddle-signature: ts=1671552777;h1=eb4d0dc8`,
  Paystack: `
    x-paystack-signature: ab`,
  Razorpay: `
    x-razorpay-signature: ab
    x-razorpay-event-id: 1`,
  GoCardless: `
    webhook-signature: ab`,
  Mollie: `
    x-mollie-signature: sha256=ab`,
  'Lemon Squeezy': `
    x-signature: ab
    x-event-name: order_created`,
  Wise: `
    x-signature-sha256: ab
    x-delivery-id: 8c3a`,
  'Checkout.com': `
    cko-signature: ab`,
  Circle: `
    x-circle-signature: ab
    x-circle-key-id: 879dc113`,
  BTCPay: `
    btcpay-sig: sha256=ab`,
  Flutterwave: `
    ! verif-hash: hunter2`,
  Plaid: `
    plaid-verification: eyJhbGciOi`,
  Persona: `
    persona-signature: t=1,v1=ab`,
  Sumsub: `
    x-payload-digest: ab
    x-payload-digest-alg: HMAC_SHA256_HEX`,
  Onfido: `
    x-sha2-signature: ab`,
  Veriff: `
    x-hmac-signature: ab
    x-auth-client: 8e4f`,
  Vercel: `
    x-vercel-signature: ab`,
  Netlify: `
    x-webhook-signature: eyJhbGciOi`,
  CircleCI: `
    circleci-signature: v1=ab
    circleci-event-type: workflow-completed`,
  'Buildkite, signed': `
    x-buildkite-event: build.finished
    x-buildkite-signature: timestamp=1,signature=ab`,
  'Buildkite, with a token': `
    x-buildkite-event: ping
    ! x-buildkite-token: hunter2`,
  Heroku: `
    heroku-webhook-hmac-sha256: ab=
    heroku-webhook-id: 1`,
  Sentry: `
    sentry-hook-resource: issue
    sentry-hook-timestamp: 1700000000
    sentry-hook-signature: ab`,
  PagerDuty: `
    x-pagerduty-signature: v1=ab,v1=cd
    x-webhook-id: PX
    x-webhook-subscription: PX`,
  LaunchDarkly: `
    x-ld-signature: ab`,
  'Terraform Cloud': `
    x-tfe-notification-signature: ab`,
  Grafana: `
    x-grafana-alerting-signature: ab`,
  npm: `
    x-npm-signature: sha256=ab`,
  'Travis CI': `
    signature: ab=
    - travis-repo-slug: a/b`,
  Webflow: `
    x-webflow-signature: ab
    x-webflow-timestamp: 1700000000`,
  WooCommerce: `
    x-wc-webhook-source: https://shop.example.test/
    x-wc-webhook-topic: order.created
    x-wc-webhook-resource: order
    x-wc-webhook-event: created
    x-wc-webhook-signature: ab=
    x-wc-webhook-id: 1
    x-wc-webhook-delivery-id: 2`,
  Typeform: `
    typeform-signature: sha256=ab=`,
  Calendly: `
    calendly-webhook-signature: t=1,v1=ab`,
  'Cal.com': `
    x-cal-signature-256: ab`,
  Contentful: `
    x-contentful-signature: ab
    x-contentful-timestamp: 1700000000
    x-contentful-signed-headers: x-contentful-topic,x-contentful-crn,x-mine
    x-contentful-topic: ContentManagement.Entry.publish
    x-contentful-crn: crn:contentful
    x-mine: signed
    - x-not-mine: not signed`,
  Sanity: `
    sanity-webhook-signature: t=1,v1=ab
    idempotency-key: 8c3a`,
  Mux: `
    mux-signature: t=1,v1=ab`,
  Airtable: `
    x-airtable-content-mac: hmac-sha256=ab`,
  'Customer.io': `
    x-cio-signature: ab
    x-cio-timestamp: 1700000000`,
  Klaviyo: `
    klaviyo-signature: ab
    klaviyo-timestamp: 1700000000
    klaviyo-webhook-id: 1`,
  Front: `
    x-front-signature: ab=`,
  'Help Scout': `
    x-helpscout-signature: ab=
    x-helpscout-event: convo.created`,
  WorkOS: `
    workos-signature: t=1, v1=ab`,
  FusionAuth: `
    x-fusionauth-signature-jwt: eyJhbGciOi`,
  ElevenLabs: `
    elevenlabs-signature: t=1,v0=ab`,
  'Deepgram, with a token': `
    ! dg-token: hunter2
    dg-signature: ab`,
  Cursor: `
    x-webhook-signature: sha256=ab
    x-webhook-id: 1
    x-webhook-event: statusChange`,
  LINE: `
    x-line-signature: ab=`,
  Viber: `
    x-viber-content-signature: ab`,
  Telnyx: `
    telnyx-signature-ed25519: ab=
    telnyx-timestamp: 1700000000`,
  MessageBird: `
    messagebird-signature: ab
    messagebird-signature-jwt: eyJhbGciOi
    messagebird-request-timestamp: 1700000000`,
  Plivo: `
    x-plivo-signature-v2: ab
    x-plivo-signature-v2-nonce: 1
    x-plivo-signature-v3: ab
    x-plivo-signature-v3-nonce: 1`,
  RingCentral: `
    validation-token: 8c3a`,
  TikTok: `
    tiktok-signature: t=1,s=ab`,
  eBay: `
    x-ebay-signature: eyJhbGciOi`,
  EasyPost: `
    x-hmac-signature: hmac-sha256-hex=ab`,
  ShipEngine: `
    x-shipengine-rsa-sha256-signature: ab
    x-shipengine-rsa-sha256-key-id: 1
    x-shipengine-timestamp: 2026-03-29T18:00:27Z`,
  AfterShip: `
    aftership-hmac-sha256: ab=`,
  QuickBooks: `
    intuit-signature: ab=`,
  Recurly: `
    recurly-signature: 1700000000,ab`,
  'RFC 9421': `
    content-digest: sha-256=:X48E9q:
    signature-input: sig1=("@method" "content-digest" "x-order-number");created=1700000000;keyid="x-not-mine"
    signature: sig1=:ab:
    x-order-number: 7
    - x-not-mine: named by a parameter`,
  'HTTP Signatures (draft)': `
    digest: SHA-256=ab=
    date: Tue, 29 Mar 2026 18:00:27 GMT
    signature: keyId="k",algorithm="hs2019",headers="(request-target) host date digest x-order-number",signature="ab="
    x-order-number: 7`,
  'a sender of one’s own': `
    x-request-id: 1
    x-event-id: 1
    x-event-type: order
    x-timestamp: 1700000000
    x-nonce: 1
    x-idempotency-key: 1
    x-hub-topic: orders
    ! x-webhook-secret: hunter2
    ! webhook-token: hunter2
    ! x-webhook-key: hunter2
    ! x-auth-token: hunter2
    ! x-token: hunter2
    ! x-secret: hunter2
    - x-custom: not named by the trigger`,
  'Google push notifications': `
    x-goog-channel-id: 4ba78bf0-6a47-11e2-bcfd-0800200c9a66
    ! x-goog-channel-token: hunter2
    x-goog-channel-expiration: Fri, 27 Nov 2026 01:13:52 GMT
    x-goog-resource-id: ret08u3rv24htgh289g
    x-goog-resource-uri: https://www.googleapis.com/drive/v3/files/1
    x-goog-resource-state: update
    x-goog-changed: content,properties
    x-goog-message-number: 10`,
  Adyen: `
    hmacsignature: ab=
    - protocol: HmacSHA256`,
  'RingCentral, an event': `
    ! verification-token: hunter2`,
  Xendit: `
    ! x-callback-token: hunter2
    webhook-id: 1`,
  Gitee: `
    x-gitee-event: Push Hook
    x-gitee-timestamp: 1700000000000
    ! x-gitee-token: hunter2`,
  DingTalk: `
    timestamp: 1700000000000
    sign: ab=`,
  PhonePe: `
    x-verify: ab###1`,
  Tap: `
    hashstring: ab`,
  'Cloudflare notifications': `
    ! cf-webhook-auth: hunter2
    - cf-ray: 84e0`,
  Asaas: `
    ! asaas-access-token: hunter2`,
  Clover: `
    ! x-clover-auth: hunter2`,
  Vapi: `
    ! x-vapi-secret: hunter2`,
  Hotmart: `
    ! x-hotmart-hottok: hunter2`,
  freee: `
    ! x-freee-token: hunter2`,
  Codeup: `
    codeup-event: Push Hook
    ! x-codeup-token: hunter2`,
  Honeybadger: `
    ! honeybadger-token: hunter2`,
  Snipcart: `
    ! x-snipcart-requesttoken: hunter2`,
  PagBank: `
    ! x-authenticity-token: 5e88`,
  'WeChat Pay': `
    wechatpay-serial: 5157F09EFDC096DE15EBE81A47057A7232F1B8E1
    wechatpay-timestamp: 1700000000
    wechatpay-nonce: ab
    wechatpay-signature: ab=
    wechatpay-signature-type: WECHATPAY2-SHA256-RSA2048`,
  HyperPay: `
    x-initialization-vector: 000000000000000000000000
    x-authentication-tag: ab`,
  DOKU: `
    client-id: BRN-0001
    request-id: 1
    request-timestamp: 2026-01-01T00:00:00Z
    signature: HMACSHA256=ab=`,
  Sonos: `
    x-sonos-event-seq-id: 1
    x-sonos-namespace: playback
    x-sonos-type: playbackStatus
    x-sonos-target-type: groupId
    x-sonos-target-value: RINCON_1
    x-sonos-event-signature: ab`,
  Pusher: `
    x-pusher-key: 278d425bdf160c739803
    x-pusher-signature: ab`,
  Ably: `
    x-ably-key: appId.keyId
    x-ably-signature: ab=`,
  NOWPayments: `
    x-nowpayments-sig: ab`,
  Chatwork: `
    x-chatworkwebhooksignature: ab=`,
  Squad: `
    x-squad-encrypted-body: AB`,
  'Dropbox Sign': `
    content-md5: ab
    content-sha256: ab=`,
}
