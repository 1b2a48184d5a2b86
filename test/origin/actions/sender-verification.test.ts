import type { KeyObject } from 'node:crypto'
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventParams, PARSING_RULES } from '../../../edge/queue/firing.ts'
import { selectHeaders } from '../../../edge/triggers/webhook-headers.ts'
import type { Capability, ActionResult } from '../../../origin/actions/run.ts'
import { sharedPool } from './sandbox.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/triggers.md', import.meta.url)),
  'utf8',
)

/** The JavaScript under each heading of the page. */
const snippets = new Map<string, string>()
let under = ''
for (const [, title, code] of page.matchAll(/^#+ ([^\n]+)$|^```js\n(.*?)^```$/gms)) {
  if (title === undefined) snippets.set(under, code ?? '')
  else under = title
}

const SECRET = 'the secret that sender and owner share'
const URL_OF_HOOK = 'https://triggers.example.com/webhook/a1B2c3?team=a%2Cb'
const RECEIVED_AT = Date.UTC(2026, 4, 22, 13, 5, 0)
const SECONDS = RECEIVED_AT / 1000

/** A delivery as the sender posts it. */
type Delivery = { body: string | Buffer; headers: Record<string, string>; url?: string }

/** The inputs with which a sender creates a delivery. `time` is in seconds. */
type Making = { secret: string; time: number; url: string; key: KeyObject; altered?: boolean }

type Sender = {
  heading: string
  refusal: string
  /** The response of an action for a verified delivery. */
  response: unknown
  make(from: Making): Delivery
  contentType?: string
  isTimed?: true
  signsUrl?: true
  /** `keys` creates the key pair of a sender with a public key; `written` formats the public key for the snippet. */
  keys?: () => { publicKey: KeyObject; privateKey: KeyObject }
  written?: (publicKey: KeyObject) => string
  /** The sender sends the secret itself instead of a signature. */
  sendsSecret?: true
}

const mac = (secret: string | Buffer, text: string, hash = 'sha256') =>
  createHmac(hash, secret).update(text)

const rawKey = Buffer.from('f4c1d7c0b8a9e2d3f4c1d7c0b8a9e2d3f4c1d7c0', 'hex')

const SENDERS: Sender[] = [
  {
    heading: 'GitHub',
    refusal: 'not from GitHub',
    response: { event: 'push', repository: 'owner/räpo' },
    make({ secret }) {
      const body = '{"repository": {"full_name": "owner/räpo"}, "zen":"\\u00e9 \\n" }\n'
      const signature = `sha256=${mac(secret, body).digest('hex')}`
      return { body, headers: { 'x-hub-signature-256': signature, 'x-github-event': 'push' } }
    },
  },
  {
    heading: 'Stripe',
    refusal: 'not from Stripe',
    isTimed: true,
    response: { type: 'charge.succeeded' },
    make({ secret, time }) {
      const body = '{\n  "type": "charge.succeeded"\n}'
      const old = mac('the secret before', `${time}.${body}`).digest('hex')
      const v1 = mac(secret, `${time}.${body}`).digest('hex')
      return { body, headers: { 'stripe-signature': `t=${time},v1=${old},v1=${v1},v0=00` } }
    },
  },
  {
    heading: 'Slack',
    refusal: 'not from Slack',
    isTimed: true,
    response: { type: 'app_mention' },
    make({ secret, time }) {
      const body = '{"type":"event_callback","event":{"type":"app_mention"}}'
      const signature = `v0=${mac(secret, `v0:${time}:${body}`).digest('hex')}`
      const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': `${time}` }
      return { body, headers }
    },
  },
  {
    heading: 'Shopify',
    refusal: 'not from Shopify',
    response: { topic: 'orders/create', id: 820982911946154 },
    make({ secret }) {
      const body = '{"id":820982911946154,"total_price":"403.00"}'
      const signature = mac(secret, body).digest('base64')
      const headers = { 'x-shopify-hmac-sha256': signature, 'x-shopify-topic': 'orders/create' }
      return { body, headers }
    },
  },
  {
    heading: 'Standard Webhooks',
    refusal: 'not from this sender',
    isTimed: true,
    response: { type: 'invoice.paid' },
    make({ secret, time }) {
      const body = '{"type":"invoice.paid"}'
      const text = `msg_2b.${time}.${body}`
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      const signatures = [mac('other', text), mac(key, text)].map((one) => one.digest('base64'))
      return {
        body,
        headers: {
          'webhook-id': 'msg_2b',
          'webhook-timestamp': `${time}`,
          'webhook-signature': `v1a,AAAA v1,${signatures[0]} v1,${signatures[1]}`,
        },
      }
    },
  },
  {
    heading: 'Twilio',
    refusal: 'not from Twilio',
    signsUrl: true,
    contentType: 'application/x-www-form-urlencoded',
    response: { message: 'SM1' },
    make({ secret, url }) {
      const body = 'To=%2B1555&From=%2B1556&MessageSid=SM1&Body=a+b%26%C3%A9&A=2&A=1&A=2'
      const signed = `${url}A1A2Bodya b&éFrom+1556MessageSidSM1To+1555`
      return {
        body,
        headers: { 'x-twilio-signature': mac(secret, signed, 'sha1').digest('base64') },
      }
    },
  },
  {
    heading: 'Discord',
    refusal: 'not from Discord',
    isTimed: true,
    response: { type: 'APPLICATION_AUTHORIZED' },
    keys: () => generateKeyPairSync('ed25519'),
    written: (key) => key.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex'),
    make({ key, time }) {
      const body = '{"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}'
      const signature = sign(null, Buffer.from(`${time}${body}`), key).toString('hex')
      const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': `${time}` }
      return { body, headers }
    },
  },
  {
    heading: 'Square',
    refusal: 'not from Square',
    signsUrl: true,
    response: { type: 'payment.created' },
    make({ secret, url }) {
      const body = '{"type":"payment.created"}'
      const signature = mac(secret, url + body).digest('base64')
      return { body, headers: { 'x-square-hmacsha256-signature': signature } }
    },
  },
  {
    heading: 'SendGrid',
    refusal: 'not from SendGrid',
    isTimed: true,
    response: ['processed', 'open'],
    keys: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    written: (key) => key.export({ format: 'der', type: 'spki' }).toString('base64'),
    make({ key, time }) {
      const body = '[{"event":"processed"},\r\n{"event":"open"}]\r\n'
      const signature = sign('sha256', Buffer.from(`${time}${body}`), key).toString('base64')
      return {
        body,
        headers: {
          'x-twilio-email-event-webhook-signature': signature,
          'x-twilio-email-event-webhook-timestamp': `${time}`,
        },
      }
    },
  },
  {
    heading: 'GitLab',
    refusal: 'not from GitLab',
    sendsSecret: true,
    response: { event: 'Push Hook', project: 'group/project' },
    make({ secret }) {
      const body = '{"project":{"path_with_namespace":"group/project"}}'
      return { body, headers: { 'x-gitlab-token': secret, 'x-gitlab-event': 'Push Hook' } }
    },
  },
  {
    heading: 'Linear',
    refusal: 'not from Linear',
    isTimed: true,
    response: { action: 'create', type: 'Issue' },
    make({ secret, time }) {
      const body = `{"action":"create","type":"Issue","webhookTimestamp":${time * 1000}}`
      return { body, headers: { 'linear-signature': mac(secret, body).digest('hex') } }
    },
  },
  {
    heading: 'HubSpot',
    refusal: 'not from HubSpot',
    isTimed: true,
    signsUrl: true,
    response: ['contact.creation'],
    make({ secret, time, url }) {
      const body = '[{"subscriptionType":"contact.creation"}]'
      const signed = `POST${url.replace('%2C', ',')}${body}${time * 1000}`
      return {
        body,
        headers: {
          'x-hubspot-signature-v3': mac(secret, signed).digest('base64'),
          'x-hubspot-request-timestamp': `${time * 1000}`,
        },
      }
    },
  },
]

/** Builds the params of a posted delivery as the edge does. */
function params({ body, headers, url = URL_OF_HOOK }: Delivery, contentType: string): string {
  const received = new Headers({
    ...headers,
    'content-type': contentType,
    authorization: 'Basic x',
  })
  const firing = {
    source: 'webhook',
    method: 'POST',
    url,
    query: Object.fromEntries(new URL(url).searchParams),
    receivedAt: RECEIVED_AT,
    contentType,
    rules: PARSING_RULES,
    headers: selectHeaders(received).headers,
  } as const
  return JSON.stringify({ channel: 'a default', ...eventParams(firing, Buffer.from(body)) })
}

describe('the snippets of docs/triggers.md', () => {
  const sandbox = sharedPool()
  const shared = snippets.get('The shared part') ?? ''
  const [, wallet] = /WALLET = '([^']+)'/.exec(shared) ?? []
  const [, ciphertext] = /SECRET = '([^']+)'/.exec(shared) ?? []

  /** Decrypts only the ciphertext of the snippets. */
  const opening = (secret: string): Capability => ({
    keyOperation: (operation) =>
      operation.name === 'decrypt' &&
      operation.pkpId === wallet &&
      operation.ciphertext === ciphertext
        ? Promise.resolve(secret)
        : Promise.reject(new Error('it asked for something else')),
  })

  const secretOf = ({ heading }: Sender, kind: 'right' | 'wrong' = 'right') => {
    const text = kind === 'right' ? SECRET : `${SECRET}.`
    if (heading !== 'Standard Webhooks') return text
    return `whsec_${(kind === 'right' ? rawKey : rawKey.toReversed()).toString('base64')}`
  }

  /** Runs the sender's snippet on a delivery. */
  async function deliver(
    sender: Sender,
    change: (delivery: Delivery) => Partial<Delivery> = () => ({}),
    made: Partial<Making> = {},
  ): Promise<ActionResult> {
    const { publicKey, privateKey } = sender.keys?.() ?? generateKeyPairSync('ed25519')
    const from = { secret: secretOf(sender), time: SECONDS, url: URL_OF_HOOK, key: privateKey }
    const delivery = sender.make({ ...from, ...made })
    const given = params({ ...delivery, ...change(delivery) }, sender.contentType ?? JSON_TYPE)
    const snippet = snippets.get(sender.heading) ?? ''
    const key = sender.written?.(publicKey)
    const own =
      key === undefined ? snippet : snippet.replace(/(PUBLIC_KEY =\s+)'[^']+'/, `$1'${key}'`)
    if (key !== undefined && own === snippet) throw new Error('the snippet has no key to replace')
    return sandbox.run(`${shared}\n${own}`, { params: given }, opening(secretOf(sender)))
  }

  const JSON_TYPE = 'application/json; charset=utf-8'
  const refused = (message: string) => ({ kind: 'failed', code: 'action_threw', message })
  const valueOf = (result: ActionResult) => {
    if (result.kind !== 'returned') throw new Error(JSON.stringify(result))
    return JSON.parse(result.value) as unknown
  }

  it('cover exactly the senders tested here', () => {
    const headings = SENDERS.map(({ heading }) => heading)
    expect([...snippets.keys()]).toEqual(['The shared part', ...headings])
    expect(page.split('\n```js\n').length - 1).toBe(snippets.size)
  })

  describe.each(SENDERS)('for $heading', (sender) => {
    it('accept a genuine delivery', async () => {
      expect(valueOf(await deliver(sender))).toEqual(sender.response)
    })

    it('forgery: reject a delivery signed with another secret or key', async () => {
      const { privateKey } = sender.keys?.() ?? generateKeyPairSync('ed25519')
      const other = { secret: secretOf(sender, 'wrong'), key: privateKey }
      expect(await deliver(sender, undefined, other)).toMatchObject(refused(sender.refusal))
    })

    it('reject a delivery without the headers that prove its origin', async () => {
      const result = await deliver(sender, () => ({ headers: {} }))
      expect(result).toMatchObject({ kind: 'failed', code: 'action_threw' })
    })

    it('reject a delivery with an empty or malformed proof', async () => {
      for (const value of ['', '=', '!', 'v1=,v1=', 'v1,', 'sha256=zz', '\u00e9'])
        expect(
          await deliver(sender, ({ headers }) => ({
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, given]) => [
                name,
                /timestamp|event$|topic|-id$/.test(name) ? given : value,
              ]),
            ),
          })),
        ).toMatchObject({ kind: 'failed', code: 'action_threw' })
    })

    if (!sender.sendsSecret)
      it.each([
        ['a byte more', (body: string) => `${body} `],
        ['a byte less', (body: string) => body.slice(0, -1)],
        ['another character', (body: string) => body.replace(/[a-z]/, 'x')],
      ])('tampering: reject a body with %s', async (_what, alter) => {
        const result = await deliver(sender, ({ body }) => ({ body: alter(String(body)) }))
        expect(result).toMatchObject(refused(sender.refusal))
      })

    if (sender.isTimed) {
      it('accept a delivery that was signed almost five minutes ago', async () => {
        expect(valueOf(await deliver(sender, undefined, { time: SECONDS - 299 }))).toEqual(
          sender.response,
        )
      })

      it.each([
        ['old', -301],
        ['from the future', 301],
      ])('replay: reject a signed timestamp that is %s', async (_when, offset) => {
        const result = await deliver(sender, undefined, { time: SECONDS + offset })
        expect(result).toMatchObject(refused('the timestamp is not of the last five minutes'))
      })
    }

    if (sender.isTimed && sender.heading !== 'Linear')
      it('replay: reject a delivery with a renewed timestamp', async () => {
        const old = SECONDS - 1000
        const renew = ({ headers }: Delivery) => ({
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [
              name,
              value.replace(`${old}`, `${SECONDS}`),
            ]),
          ),
        })
        const result = await deliver(sender, renew, { time: old })
        expect(result).toMatchObject(refused(sender.refusal))
      })

    if (sender.signsUrl)
      it.each([
        ['path', URL_OF_HOOK.replace('a1B2c3', 'another')],
        ['query', URL_OF_HOOK.replace('team=a', 'team=b')],
        ['scheme', URL_OF_HOOK.replace('https', 'http')],
      ])('reject a delivery that was signed for a URL with another %s', async (_what, url) => {
        expect(await deliver(sender, () => ({ url }))).toMatchObject(refused(sender.refusal))
      })
  })

  it('for GitHub, with its default content type, accept a form and reject a forged one', async () => {
    const gitHub = SENDERS.find(({ heading }) => heading === 'GitHub')!
    const inForm = { ...gitHub, contentType: 'application/x-www-form-urlencoded' }
    const body = `payload=${encodeURIComponent('{"repository":{"full_name":"owner/räpo"}}')}`
    const signed = (secret: string) => ({
      body,
      headers: {
        'x-hub-signature-256': `sha256=${mac(secret, body).digest('hex')}`,
        'x-github-event': 'push',
      },
    })
    expect(valueOf(await deliver(inForm, () => signed(SECRET)))).toEqual(gitHub.response)
    const forged = await deliver(inForm, () => signed(`${SECRET}.`))
    expect(forged).toMatchObject(refused(gitHub.refusal))
  })

  describe('for Twilio, with a JSON body', () => {
    const twilio = SENDERS.find(({ heading }) => heading === 'Twilio')!
    const body = '{"MessageSid":"SM2"}'
    const digest = createHash('sha256').update(body).digest('hex')
    const url = `${URL_OF_HOOK}&bodySHA256=${digest}`
    const headers = { 'x-twilio-signature': mac(SECRET, url, 'sha1').digest('base64') }
    const inJson = { ...twilio, contentType: JSON_TYPE }

    it('accept a body that matches the digest in the signed URL', async () => {
      const result = await deliver(inJson, () => ({ body, headers, url }))
      expect(valueOf(result)).toEqual({ message: 'SM2' })
    })

    it.each([
      ['another body', { body: '{"MessageSid":"SM3"}', headers, url }],
      ['a digest that was not signed', { body, headers, url: url.replace(digest, '0'.repeat(64)) }],
      ['the digest taken away', { body, headers, url: URL_OF_HOOK }],
    ])('reject %s', async (_what, changed) => {
      expect(await deliver(inJson, () => changed)).toMatchObject(refused(twilio.refusal))
    })
  })
})
