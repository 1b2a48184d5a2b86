import { describe, expect, it } from 'vitest'
import {
  createTrigger,
  edge,
  objectExists,
  type Owner,
  post,
  script,
  someOwner,
  sql,
  unknownTriggerId,
  webhook,
} from '../app.ts'

const owner: Owner = await someOwner()
/** An origin that asks for an hour's delay, so that queued runs stay queued. */
const HELD = script({ refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } })
const { id: plain } = await createTrigger(owner, { action_code: HELD })

async function asked(query: string, headers: Record<string, string> = {}, id = plain) {
  const response = await edge(`/webhook/${id}${query}`, { headers })
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: await response.text(), headers: response.headers }
}

const runsOf = (id: string) => sql(id, 'SELECT 1 FROM runs')

describe('a GET handshake is answered by default', () => {
  it('Meta, WebSub: echoes hub.challenge as text', async () => {
    const query = '?hub.mode=subscribe&hub.verify_token=mine&hub.challenge=1158201444'
    const { status, type, body, headers } = await asked(query, { accept: '*/*' })
    expect([status, type, body]).toEqual([200, 'text/plain; charset=utf-8', '1158201444'])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/./)
  })

  it('Strava: echoes hub.challenge in JSON if only JSON is accepted', async () => {
    const query = '?hub.mode=subscribe&hub.challenge=15f7d1a91c1f40a&hub.verify_token=STRAVA'
    const { type, body } = await asked(query, { accept: 'application/json' })
    expect([type, body]).toEqual(['application/json', '{"hub.challenge":"15f7d1a91c1f40a"}'])
  })

  it('Strava: echoes it in JSON for any Accept header if the owner names Strava', async () => {
    const { id } = await createTrigger(owner, { options: { handshake: 'strava' } })
    const { body } = await asked('?hub.mode=subscribe&hub.challenge=15f7', { accept: '*/*' }, id)
    expect(body).toBe('{"hub.challenge":"15f7"}')
  })

  it('Dropbox: echoes the challenge as text, with nosniff', async () => {
    const { status, type, body, headers } = await asked('?challenge=abc-1')
    expect([status, type, body]).toEqual([200, 'text/plain; charset=utf-8', 'abc-1'])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('Okta: echoes the header in JSON', async () => {
    const { type, body } = await asked('', { 'x-okta-verification-challenge': 'n-1' })
    expect([type, body]).toEqual(['application/json', '{"verification":"n-1"}'])
  })

  it('Adobe Sign: echoes the client ID as a header and in JSON', async () => {
    const { status, body, headers } = await asked('', { 'x-adobesign-clientid': 'CBJ1' })
    expect([status, headers.get('x-adobesign-clientid'), body]).toEqual([
      200,
      'CBJ1',
      '{"xAdobeSignClientId":"CBJ1"}',
    ])
  })

  it('Trello, Mandrill: returns 200 for HEAD', async () => {
    const response = await edge(`/webhook/${plain}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('Event Grid, CloudEvents: OPTIONS grants the requesting origin', async () => {
    const headers = {
      'webhook-request-origin': 'eventgrid.azure.net',
      'webhook-request-rate': '120',
    }
    const response = await edge(`/webhook/${plain}`, { method: 'OPTIONS', headers })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'webhook-allowed-origin': 'eventgrid.azure.net',
      'webhook-allowed-rate': '*',
      allow: 'HEAD, OPTIONS, POST',
    })
  })

  it('other OPTIONS requests list the methods and grant nothing, not even CORS', async () => {
    const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
    const response = await edge(`/webhook/${plain}`, { method: 'OPTIONS', headers })
    expect([response.status, response.headers.get('allow')]).toEqual([200, 'HEAD, OPTIONS, POST'])
    const names = [...response.headers.keys()]
    expect(names.filter((name) => /^(webhook-|access-control-)/.test(name))).toEqual([])
  })

  it('without creating a run, even if the trigger is disabled', async () => {
    const { id } = await createTrigger(owner, { enabled: false })
    expect((await asked('?hub.mode=subscribe&hub.challenge=1', {}, id)).status).toBe(200)
    expect([await runsOf(id), await runsOf(plain)]).toEqual([[], []])
  })
})

describe('a GET without a challenge', () => {
  it.each([
    '',
    '?',
    '?crc_token=needs-a-secret',
    '?hub.mode=subscribe',
    '?hub.challenge=&challenge=',
  ])('returns 405 with Allow: %j', async (query) => {
    const { status, headers, body } = await asked(query)
    expect([status, headers.get('allow')]).toEqual([405, 'HEAD, OPTIONS, POST'])
    expect(JSON.parse(body)).toMatchObject({ error: 'method_not_allowed' })
  })
})

describe('a URL that is not a webhook', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'returns 404 to %s for an unknown ID, and creates no object',
    async (method) => {
      const unknown = await unknownTriggerId()
      const forged = unknown.slice(0, -1) + (unknown.endsWith('A') ? 'B' : 'A')
      const headers = { 'x-adobesign-clientid': 'a', 'webhook-request-origin': 'a' }
      for (const id of [forged, unknown]) {
        const response = await edge(`/webhook/${id}?challenge=1`, { method, headers })
        expect(response.status).toBe(404)
        expect(response.headers.get('x-adobesign-clientid')).toBeNull()
        expect(response.headers.get('webhook-allowed-origin')).toBeNull()
      }
      expect(await objectExists(forged)).toBe(false)
    },
  )

  it('foreign schedule: the ID of another kind is unknown to every method', async () => {
    const schedule = { kind: 'schedule', config: { cron: '0 0 1 1 *' } }
    const { id } = await createTrigger(owner, schedule)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST'])
      expect((await edge(`/webhook/${id}?challenge=1`, { method })).status).toBe(404)
    expect(await runsOf(id)).toEqual([])
  })
})

describe('an echo cannot be abused', () => {
  it('markup: is returned as plain text that browsers do not execute', async () => {
    const { type, body, headers } = await asked('?challenge=<script>alert(1)</script>')
    expect(body).toBe('<script>alert(1)</script>')
    expect([type, headers.get('x-content-type-options')]).toEqual([
      'text/plain; charset=utf-8',
      'nosniff',
    ])
  })

  it.each([
    ['a response split in two', '%0d%0aset-cookie:a=b'],
    ['a NUL', '%00'],
    ['other scripts', '%e2%80%ae'],
    ['more than a kilobyte', 'x'.repeat(1025)],
  ])('%s: is not accepted as a challenge', async (_, value) => {
    for (const name of ['challenge', 'hub.challenge']) {
      const { status, body } = await asked(`?${name}=${value}`)
      expect(status).toBe(405)
      expect(body).not.toContain(decodeURIComponent(value))
    }
  })

  it('accepts a challenge of one kilobyte', async () => {
    expect((await asked(`?challenge=${'x'.repeat(1024)}`)).body).toBe('x'.repeat(1024))
  })

  it('WebSub unsubscription by a stranger: is never confirmed', async () => {
    for (const mode of ['unsubscribe', 'denied', 'SUBSCRIBE'])
      expect((await asked(`?hub.mode=${mode}&hub.challenge=1`)).status).toBe(405)
  })

  it('does not echo a header of over a kilobyte on a 202', async () => {
    const headers = { 'x-hook-secret': 'x'.repeat(1025) }
    const response = await edge(`/webhook/${plain}`, { method: 'POST', body: '{}', headers })
    expect([response.status, response.headers.get('x-hook-secret')]).toEqual([202, null])
  })
})

describe('headers that a sender expects back on each event', () => {
  it.each(['x-hook-secret', 'x-adobesign-clientid'])('%s is echoed with the 202', async (name) => {
    const init = { method: 'POST', body: '{}', headers: { [name]: 'mine' } }
    const response = await edge(`/webhook/${plain}`, init)
    expect([response.status, response.headers.get(name)]).toEqual([202, 'mine'])
  })
})

type Handshake = { query?: string; headers?: Record<string, string>; body?: unknown }
type Case = [string, Handshake, { body: unknown; header?: [string, string] }]

const HANDSHAKES: Case[] = [
  ['slack', { body: { type: 'url_verification', token: 't', challenge: 'c1' } }, { body: 'c1' }],
  [
    'twitch',
    {
      headers: { 'twitch-eventsub-message-type': 'webhook_callback_verification' },
      body: { challenge: 'c2', subscription: {} },
    },
    { body: 'c2' },
  ],
  ['monday', { body: { challenge: 'c3' } }, { body: { challenge: 'c3' } }],
  [
    'microsoft_graph',
    {
      query: '?validationToken=Validation%3A+Testing%3A+c4',
      headers: { 'content-type': 'text/plain' },
    },
    { body: 'Validation: Testing: c4' },
  ],
  [
    'smartsheet',
    { headers: { 'smartsheet-hook-challenge': 'c5' }, body: { challenge: 'c5', webhookId: 1 } },
    { body: { smartsheetHookResponse: 'c5' }, header: ['smartsheet-hook-response', 'c5'] },
  ],
  [
    'ringcentral',
    { headers: { 'validation-token': 'c6' } },
    { body: '', header: ['validation-token', 'c6'] },
  ],
  ['asana', { headers: { 'x-hook-secret': 'c7' } }, { body: '', header: ['x-hook-secret', 'c7'] }],
  [
    'event_grid',
    {
      headers: { 'aeg-event-type': 'SubscriptionValidation' },
      body: [{ id: '1', data: { validationCode: 'c8', validationUrl: 'https://a.test' } }],
    },
    { body: { validationResponse: 'c8' } },
  ],
]

/** An event from each sender that is not a handshake. */
const EVENTS: [string, Handshake][] = [
  ['slack', { body: { type: 'event_callback', challenge: 'c' } }],
  [
    'twitch',
    { headers: { 'twitch-eventsub-message-type': 'notification' }, body: { challenge: 'c' } },
  ],
  ['monday', { body: { challenge: 'c', event: {} } }],
  ['microsoft_graph', { body: { value: [] } }],
  ['smartsheet', { body: { challenge: 'c' } }],
  ['ringcentral', { body: {} }],
  ['asana', { headers: { 'x-hook-signature': 'ab', 'x-hook-secret': 'c' }, body: {} }],
  ['event_grid', { headers: { 'aeg-event-type': 'Notification' }, body: [{ data: {} }] }],
  ['strava', { body: { 'hub.challenge': 'c' } }],
]

const posted = (id: string, { query = '', headers = {}, body }: Handshake) =>
  edge(`/webhook/${id}${query}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers,
  })

describe('a POST handshake', () => {
  it.each(HANDSHAKES)(
    '%s: is answered without a run if the owner names the sender',
    async (sender, sent, wanted) => {
      const { id } = await createTrigger(owner, { options: { handshake: sender } })
      const response = await posted(id, sent)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const isText = typeof wanted.body === 'string'
      expect(isText ? await response.text() : await response.json()).toEqual(wanted.body)
      if (wanted.header) expect(response.headers.get(wanted.header[0])).toBe(wanted.header[1])
      expect(await runsOf(id)).toEqual([])
    },
  )

  it.each(HANDSHAKES)(
    '%s: is treated as an event if the owner does not name the sender',
    async (_, sent) => {
      expect((await posted(plain, sent)).status).toBe(202)
    },
  )

  it.each(EVENTS)('%s: other requests are treated as events', async (sender, sent) => {
    const options = { handshake: sender }
    const { id } = await createTrigger(owner, { options, action_code: HELD })
    expect((await posted(id, sent)).status).toBe(202)
    expect(await runsOf(id)).toHaveLength(1)
  })

  it.each([
    ['markup in several lines', '<b>\r\n</b>'],
    ['more than a kilobyte', 'x'.repeat(1025)],
    ['no text', { a: 1 }],
  ])('with a challenge that is %s is treated as an event', async (_, challenge) => {
    const { id } = await createTrigger(owner, { options: { handshake: 'slack' } })
    const response = await posted(id, { body: { type: 'url_verification', challenge } })
    expect(response.status).toBe(202)
  })

  it.each([
    '{',
    '[]',
    'null',
    '"a"',
    '',
    `{"type":"url_verification","challenge":"c","x":"${'x'.repeat(17_000)}"}`,
  ])('with a body that matches no handshake is treated as an event: %.40j', async (body) => {
    const { id } = await createTrigger(owner, { options: { handshake: 'slack' } })
    expect((await edge(`/webhook/${id}`, { method: 'POST', body })).status).toBe(202)
  })

  it.each(['zoom', 'x', 'discord', 'xero'])(
    'for %s needs a secret or the action’s own response: creation is rejected with the supported senders',
    async (sender) => {
      const { path, init } = post('/api/triggers', webhook({ options: { handshake: sender } }))
      const response = await owner.api(path, init)
      expect(response.status).toBe(422)
      const { message }: { message: string } = await response.json()
      expect(message).toContain('options.handshake')
      for (const known of ['slack', 'twitch', 'microsoft_graph', 'strava'])
        expect(message).toContain(known)
    },
  )
})
