import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SignedRequest } from '../../../edge/sources/scheme.ts'
import { schemeOf } from '../../../edge/sources/schemes.ts'
import { importSourceKey } from '../../../edge/sources/source-keys.ts'
import { verifyWebhook } from '../../../edge/sources/verify-webhook.ts'
import { WEBHOOK_TOLERANCE_MS } from '../../../shared/limits.ts'
import { type WebhookSource, WEBHOOK_SOURCE_NAMES } from '../../../shared/wire/webhook-source.ts'
import { sha256Hex, type Vector, vectorOf, VECTORS } from './vectors.ts'

type Sent = { source: WebhookSource; request: SignedRequest; now?: number; secrets: string[] }

async function verify({ source, request, secrets, now = 0 }: Sent) {
  const keys = await Promise.all(secrets.map((secret) => importSourceKey(source, secret)))
  const verified = await verifyWebhook(keys, request, now)
  return verified.state === 'genuine' ? 'genuine' : verified.reason
}

const sent = ({ source, request, secret, signedAt = 0 }: Vector): Sent => ({
  source,
  request,
  secrets: [secret],
  now: signedAt,
})

function withHeader({ request, header }: Vector, change: (value: string) => string): SignedRequest {
  return { ...request, headers: { ...request.headers, [header]: change(request.headers[header]!) } }
}

const named = VECTORS.map((vector, at) => ({
  ...vector,
  name: `${at + 1}. ${JSON.stringify(vector.source)} (${vector.origin})`,
}))
const withBody = named.filter(({ source }) => !isToken(source))
const withTimestamp = named.filter(({ signedAt }) => signedAt !== undefined)

function isToken(source: WebhookSource): boolean {
  if (typeof source === 'object') return source.type === 'token'
  return ['gitlab', 'goldsky', 'helius', 'telegram'].includes(source)
}

it('has a vector for each sender', () => {
  const covered = new Set(VECTORS.map(({ source }) => source))
  expect(WEBHOOK_SOURCE_NAMES.filter((name) => !covered.has(name))).toEqual([])
})

describe('a webhook of a sender', () => {
  it.each(named)('$name: is accepted', async (vector) => {
    expect(await verify(sent(vector))).toBe('genuine')
  })

  it.each(named)('$name: is accepted with the second of two secrets', async (vector) => {
    const other = vectorOf(vector.source).secret.startsWith('whsec_')
      ? 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
      : undefined
    const secrets = isPublicKey(vector) ? [vector.secret] : [other ?? 'another-secret']
    expect(await verify({ ...sent(vector), secrets: [...secrets, vector.secret] })).toBe('genuine')
  })

  it.each(named.filter((vector) => !isPublicKey(vector)))(
    '$name: signature of another trigger: is rejected',
    async (vector) => {
      const other = vector.secret.startsWith('whsec_')
        ? 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
        : 'another-secret'
      expect(await verify({ ...sent(vector), secrets: [other] })).toBe('wrong_signature')
    },
  )

  it.each(withBody)('$name: changed body: one changed byte is rejected', async (vector) => {
    const body = new Uint8Array(vector.request.body)
    body[Math.floor(body.length / 2)]! ^= 1
    const verdict = await verify({ ...sent(vector), request: { ...vector.request, body } })
    expect(['wrong_signature', 'body_not_signed']).toContain(verdict)
  })

  it.each(withBody)('$name: appended body: one more byte is rejected', async (vector) => {
    const body = new Uint8Array([...vector.request.body, 0x20])
    const verdict = await verify({ ...sent(vector), request: { ...vector.request, body } })
    expect(['wrong_signature', 'body_not_signed']).toContain(verdict)
  })

  it.each(named)('$name: empty signature: is rejected', async (vector) => {
    for (const value of ['', ' '])
      expect(await verify({ ...sent(vector), request: withHeader(vector, () => value) })).not.toBe(
        'genuine',
      )
    const { [vector.header]: _, ...headers } = vector.request.headers
    expect(await verify({ ...sent(vector), request: { ...vector.request, headers } })).not.toBe(
      'genuine',
    )
  })

  it.each(named)('$name: truncated signature: is rejected', async (vector) => {
    for (const characters of [1, 2, 4, 16]) {
      const request = withHeader(vector, (value) =>
        // Values after the signature are ignored, so they are cut off first.
        value.replace(/,v0=6+$/, '').slice(0, -characters),
      )
      const verdict = await verify({ ...sent(vector), request })
      expect(verdict, `without ${characters}`).not.toBe('genuine')
    }
  })

  it.each(withTimestamp)(
    '$name: replayed request: an old or future timestamp is rejected',
    async (vector) => {
      const { signedAt } = vector
      const after = (ms: number) => verify({ ...sent(vector), now: signedAt! + ms })
      expect(await after(WEBHOOK_TOLERANCE_MS)).toBe('genuine')
      expect(await after(-WEBHOOK_TOLERANCE_MS)).toBe('genuine')
      expect(await after(WEBHOOK_TOLERANCE_MS + 1)).toBe('outside_tolerance')
      expect(await after(-WEBHOOK_TOLERANCE_MS - 1)).toBe('outside_tolerance')
    },
  )
})

function isPublicKey({ source, secret }: Vector): boolean {
  return secret.startsWith('whpk_') || ['circle', 'discord', 'sendgrid'].includes(source as string)
}

describe('a duplicated header', () => {
  const single = named.filter(({ source, secret }) => {
    const scheme = schemeOf(source, secret)
    return scheme.by === 'signature' && scheme.signature.field === undefined
  })

  it.each(single)('$name: a forged signature before or after it is rejected', async (vector) => {
    const forged = (value: string) => value.replace(/[0-9a-f](?=[^0-9a-f]*$)/i, 'A')
    for (const change of [
      (value: string) => `${forged(value)}, ${forged(value)}`,
      (value: string) => `${value}, ${value}`,
    ])
      expect(await verify({ ...sent(vector), request: withHeader(vector, change) })).not.toBe(
        'genuine',
      )
  })

  it('stripe: a second timestamp is rejected', async () => {
    const vector = vectorOf('stripe')
    const old = `t=${vector.signedAt! / 1000 - 10_000}`
    for (const change of [
      (value: string) => `${value}, ${old}`,
      (value: string) => `${old}, ${value}`,
    ])
      expect(await verify({ ...sent(vector), request: withHeader(vector, change) })).toBe(
        'malformed_signature',
      )
  })

  it('stripe: a rotated secret: one of several signatures suffices', async () => {
    const vector = vectorOf('stripe')
    const request = withHeader(vector, (value) =>
      value.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`),
    )
    expect(await verify({ ...sent(vector), request })).toBe('genuine')
  })

  it('signature flood: only the first four signatures are tried', async () => {
    const vector = vectorOf('pagerduty')
    const request = withHeader(vector, (value) => `${`v1=${'0'.repeat(64)},`.repeat(4)}${value}`)
    expect(await verify({ ...sent(vector), request })).toBe('wrong_signature')
  })
})

describe('algorithm confusion', () => {
  const rejected = async (source: WebhookSource, change: (value: string) => string) => {
    const vector = vectorOf(source)
    return verify({ ...sent(vector), request: withHeader(vector, change) })
  }

  it('stripe: a valid signature under v0 is not accepted', async () => {
    const asV0 = (value: string) => value.replace(/,v0=.*/, '').replace('v1=', 'v0=')
    expect(await rejected('stripe', asV0)).toBe('malformed_signature')
  })

  it('coinbase_cdp: v0, which covers no headers, is not accepted', async () => {
    const verdict = await rejected('coinbase_cdp', (value) => value.replace(/,h=.*/, ''))
    expect(verdict).toBe('malformed_signature')
  })

  it('coinbase_cdp: a changed signed header is rejected', async () => {
    const vector = vectorOf('coinbase_cdp')
    const headers = { ...vector.request.headers, 'x-event-id': 'e2' }
    const verdict = await verify({ ...sent(vector), request: { ...vector.request, headers } })
    expect(verdict).toBe('wrong_signature')
  })

  it('github: an HMAC with SHA-1 is not accepted', async () => {
    const { secret, request } = vectorOf('github')
    const sha1 = createHmac('sha1', secret).update(request.body).digest('hex')
    expect(await rejected('github', () => `sha1=${sha1}`)).toBe('malformed_signature')
    expect(await rejected('github', () => `sha256=${sha1}`)).toBe('wrong_signature')
  })

  it('standard_webhooks: an HMAC with the public key is not accepted as v1a', async () => {
    const vector = VECTORS.find(({ secret }) => secret.startsWith('whpk_'))!
    const { 'webhook-id': id, 'webhook-timestamp': time } = vector.request.headers
    const key = Buffer.from(vector.secret.slice(5), 'base64')
    const content = `${id}.${time}.${Buffer.from(vector.request.body).toString()}`
    const mac = createHmac('sha256', key).update(content).digest('base64')
    for (const version of ['v1', 'v1a']) {
      const request = withHeader(vector, () => `${version},${mac}`)
      expect(await verify({ ...sent(vector), request })).not.toBe('genuine')
    }
  })
})

describe('twilio', () => {
  const [form, , json] = VECTORS.filter(({ source }) => source === 'twilio')

  it('unsigned body: the signature of an empty request is not valid with a body', async () => {
    const { secret } = form!
    const url = 'https://edge.test/webhook/abc'
    const signature = createHmac('sha1', secret).update(url).digest('base64')
    const base = { ...form!.request, url, headers: { 'x-twilio-signature': signature } }
    const empty = { ...base, body: new Uint8Array() }
    expect(await verify({ ...sent(form!), request: empty })).toBe('genuine')
    const injected = { ...base, body: new TextEncoder().encode('{}'), contentType: 'text/plain' }
    expect(await verify({ ...sent(form!), request: injected })).toBe('body_not_signed')
  })

  it('replaced body: a JSON body must have the hash in the signed URL', async () => {
    const body = '{"property": "other"}'
    const request = { ...json!.request, body: new TextEncoder().encode(body) }
    expect(await verify({ ...sent(json!), request })).toBe('body_not_signed')
    const url = request.url.replace(/[0-9a-f]{64}$/, sha256Hex(body))
    expect(await verify({ ...sent(json!), request: { ...request, url } })).toBe('wrong_signature')
    const twice = `${request.url}&bodySHA256=${sha256Hex(body)}`
    expect(await verify({ ...sent(json!), request: { ...request, url: twice } })).toBe(
      'body_not_signed',
    )
  })

  it('ambiguous form: invalid UTF-8 is rejected', async () => {
    const body = new TextEncoder().encode('a=%ff')
    expect(await verify({ ...sent(form!), request: { ...form!.request, body } })).toBe(
      'body_not_signed',
    )
  })
})

it.each(['square', 'hubspot', 'trello', 'twilio'] as const)(
  '%s: signature for another URL: is rejected',
  async (source) => {
    const vector = vectorOf(source)
    const request = { ...vector.request, url: 'https://edge.test/webhook/other' }
    expect(await verify({ ...sent(vector), request })).toBe('wrong_signature')
  },
)

it('x: reflected signature: a body that the CRC handshake can sign is rejected', async () => {
  const vector = vectorOf('x')
  const body = new TextEncoder().encode('crc_token_of_an_attacker')
  const mac = createHmac('sha256', vector.secret).update(body).digest('base64')
  const request = { ...withHeader(vector, () => `sha256=${mac}`), body }
  expect(await verify({ ...sent(vector), request })).toBe('body_not_signed')
})

it('linear: a signed body without a timestamp is rejected', async () => {
  const { secret, ...vector } = vectorOf('linear')
  const body = new TextEncoder().encode('{}')
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  const request = { ...withHeader({ ...vector, secret }, () => mac), body }
  expect(await verify({ ...sent({ ...vector, secret }), request })).toBe('malformed_signature')
})

it('rejects everything without a secret', async () => {
  const vector = vectorOf('github')
  expect(await verify({ ...sent(vector), secrets: [] })).toBe('no_secret')
})

describe('a secret of the wrong format', () => {
  it.each([
    ['discord', 'not-hexadecimal'],
    ['discord', 'abcd'],
    ['sendgrid', 'not a key'],
    ['circle', 'AAAA'],
    ['standard_webhooks', 'whsec_AAAA'],
    ['standard_webhooks', 'whpk_AAAA'],
    ['svix', 'not base64!'],
  ] as const)('%s: %s is refused', async (source, secret) => {
    await expect(importSourceKey(source, secret)).rejects.toThrow(/^expected/)
  })
})
