import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { sealSecrets } from '../../../edge/sources/seal-secrets.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  env,
  fire,
  kill,
  type Owner,
  post,
  random,
  readRun,
  runOnce,
  seen,
  someOwner,
  sql,
  webhook,
} from '../app.ts'
import { VECTORS } from './vectors.ts'

const owner: Owner = await someOwner()
const SECRET = 'a-secret-for-tests-only'
const BODY = '{"id":"evt_1"}'

const hex = (text: string, secret = SECRET) =>
  createHmac('sha256', secret).update(text).digest('hex')
const github = (body = BODY, secret = SECRET) => ({
  'x-hub-signature-256': `sha256=${hex(body, secret)}`,
})
const sourced = (over: { options?: object; webhook_secret?: unknown } = {}) =>
  createTrigger(owner, {
    webhook_secret: SECRET,
    ...over,
    options: { source: 'github', ...over.options },
  })

const send = (id: string, headers: Record<string, string>, body: BodyInit = BODY, path = '') =>
  edge(`/webhook/${id}${path}`, { method: 'POST', body, headers })
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const rejected = async (id: string) => {
  const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
  return record.stats?.rejected
}
const runsOf = (id: string) => sql(id, 'SELECT 1 FROM runs')

describe('a trigger with a source', () => {
  it('accepts a signed webhook, and rejects others with 401 and without a run', async () => {
    const { id, options } = await sourced()
    expect(options).toEqual({ source: 'github' })
    const accepted = await send(id, github())
    expect(accepted.status).toBe(202)
    const { run_id }: { run_id: string } = await accepted.json()
    expect((await runOnce(owner, run_id)).status).toBe('success')

    const answers = await Promise.all(
      [
        {},
        github('other'),
        github(BODY, 'another-secret'),
        { 'x-hub-signature-256': 'sha256=' },
      ].map((headers) => send(id, headers)),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(await runsOf(id)).toHaveLength(1)
    expect(await rejected(id)).toMatchObject({ count: 4, last_reason: 'malformed_signature' })
  })

  it('oracle: the response is the same for every reason', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'stripe' },
      webhook_secret: SECRET,
    })
    const old = Math.floor(Date.now() / 1000) - 10_000
    const replayed = { 'stripe-signature': `t=${old},v1=${hex(`${old}.${BODY}`)}` }
    const bodies = await Promise.all(
      [{}, { 'stripe-signature': 't=1' }, { 'stripe-signature': 't=1,v1=00' }, replayed].map(
        async (headers: Record<string, string>) => (await send(id, headers)).text(),
      ),
    )
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).not.toMatch(/timestamp|tolerance|stripe|missing/i)
    expect(await rejected(id)).toMatchObject({ count: 4, last_reason: 'outside_tolerance' })
  })

  it('replayed old timestamp: is rejected, and a current one accepted', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'stripe' },
      webhook_secret: SECRET,
    })
    const signed = (at: number) => ({ 'stripe-signature': `t=${at},v1=${hex(`${at}.${BODY}`)}` })
    const now = Math.floor(Date.now() / 1000)
    expect((await send(id, signed(now - 600))).status).toBe(401)
    expect((await send(id, signed(now + 600))).status).toBe(401)
    expect((await send(id, signed(now))).status).toBe(202)
  })

  it('signature of another trigger: is rejected', async () => {
    const [one, other] = [await sourced(), await sourced({ webhook_secret: 'the-other-secret' })]
    expect((await send(other.id, github())).status).toBe(401)
    expect((await send(one.id, github())).status).toBe(202)
  })

  it('accepts two secrets while the sender rotates them', async () => {
    const { id } = await sourced({ webhook_secret: ['old-secret-1', 'new-secret-2'] })
    expect((await send(id, github(BODY, 'old-secret-1'))).status).toBe(202)
    expect((await send(id, github(BODY, 'new-secret-2'))).status).toBe(202)
    expect((await patch(id, { webhook_secret: ['new-secret-2'] })).status).toBe(200)
    expect((await send(id, github(BODY, 'old-secret-1'))).status).toBe(401)
    expect((await send(id, github(BODY, 'new-secret-2'))).status).toBe(202)
  })

  it('verifies bytes that are not UTF-8', async () => {
    const { id } = await sourced()
    const body = new Uint8Array([0xff, 0xfe, 0x00, 0x80])
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    expect((await send(id, { 'X-Hub-Signature-256': `sha256=${signature}` }, body)).status).toBe(
      202,
    )
  })

  it('verifies after an eviction, and keeps counting rejections', async () => {
    const { id } = await sourced()
    expect((await send(id, {})).status).toBe(401)
    await kill(id)
    expect((await send(id, github())).status).toBe(202)
    expect((await send(id, {})).status).toBe(401)
    expect(await rejected(id)).toMatchObject({ count: 2, last_reason: 'missing_signature' })
  })

  it('flood: many rejected webhooks write few rows', async () => {
    const { id } = await sourced()
    const written = () => sql<{ rejections: string }>(id, 'SELECT rejections FROM trigger')
    await send(id, {})
    const [first] = await written()
    for (let i = 0; i < 5; i++) await send(id, {})
    expect(await written()).toEqual([first])
    expect(await rejected(id)).toMatchObject({ count: 6 })
  })

  it('signs the public URL with the query of the request', async () => {
    const { id, webhook_url } = await createTrigger(owner, {
      options: { source: 'square' },
      webhook_secret: SECRET,
    })
    const mac = (url: string) =>
      createHmac('sha256', SECRET)
        .update(url + BODY)
        .digest('base64')
    const header = 'x-square-hmacsha256-signature'
    expect((await send(id, { [header]: mac(`${webhook_url}?a=1`) }, BODY, '?a=1')).status).toBe(202)
    expect((await send(id, { [header]: mac(webhook_url!) }, BODY, '?a=1')).status).toBe(401)
  })

  it('works together with dedup, pass_headers and handshake', async () => {
    const { id } = await sourced({
      options: { dedup: true, pass_headers: ['x-mine'], handshake: 'slack' },
    })
    const headers = { ...github(), 'x-github-delivery': 'd1', 'x-mine': 'canary' }
    const run = await fire(id, BODY, { headers })
    expect(await fire(id, BODY, { headers })).toBe(run)
    // A forged delivery cannot suppress the genuine one.
    const forged = await send(id, { ...headers, 'x-github-delivery': 'd2', ...github('x') })
    expect(forged.status).toBe(401)
    const genuine = await fire(id, BODY, { headers: { ...headers, 'x-github-delivery': 'd2' } })
    expect(genuine).not.toBe(run)
    await runOnce(owner, run)
    const [call] = await seen(run)
    expect((call!.params as { headers: object }).headers).toMatchObject({ 'x-mine': 'canary' })
    const challenge = '{"type":"url_verification","challenge":"c1"}'
    expect(await (await send(id, {}, challenge)).text()).toBe('c1')
  })

  it('history leak: a secret in the authorization header reaches neither action nor history', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'helius' },
      webhook_secret: SECRET,
    })
    expect((await send(id, { authorization: 'Bearer wrong' })).status).toBe(401)
    const run = await fire(id, BODY, { headers: { authorization: SECRET } })
    await runOnce(owner, run)
    expect(JSON.stringify(await seen(run))).not.toContain(SECRET)
    expect(JSON.stringify(await readRun(owner, run))).not.toContain(SECRET)
  })

  it('verifies while disabled, so that others learn nothing about the trigger', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'github' },
      webhook_secret: SECRET,
      enabled: false,
    })
    expect((await send(id, {})).status).toBe(401)
    expect((await send(id, github())).status).toBe(503)
  })
})

describe('the handshake of a source', () => {
  it('discord: answers a signed PING, and rejects a forged one', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')
    const { id } = await createTrigger(owner, {
      options: { source: 'discord' },
      webhook_secret: key,
    })
    const signed = (body: string) => {
      const at = String(Math.floor(Date.now() / 1000))
      const signature = sign(null, Buffer.from(at + body), privateKey).toString('hex')
      return send(id, { 'x-signature-timestamp': at, 'x-signature-ed25519': signature }, body)
    }
    const pong = await signed('{"type":1}')
    expect([pong.status, await pong.text()]).toEqual([200, '{"type":1}'])
    const forged = await send(id, { 'x-signature-ed25519': '00'.repeat(64) }, '{"type":1}')
    expect(forged.status).toBe(401)
    expect(await runsOf(id)).toEqual([])
    expect((await signed('{"type":2}')).status).toBe(202)
  })

  it('zoom: answers the URL validation with an HMAC of the token', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'zoom' },
      webhook_secret: SECRET,
    })
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6"}}'
    const at = String(Math.floor(Date.now() / 1000))
    const headers = {
      'x-zm-request-timestamp': at,
      'x-zm-signature': `v0=${hex(`v0:${at}:${body}`)}`,
    }
    const answer = await send(id, headers, body)
    expect(await answer.json()).toEqual({
      plainToken: 'qgg8vlvZRS6',
      encryptedToken: hex('qgg8vlvZRS6'),
    })
    expect((await send(id, {}, body)).status).toBe(401)
  })

  it('x: answers the challenge-response check', async () => {
    const { id } = await createTrigger(owner, { options: { source: 'x' }, webhook_secret: SECRET })
    const answer = await edge(`/webhook/${id}?crc_token=abc`)
    const mac = createHmac('sha256', SECRET).update('abc').digest('base64')
    expect(await answer.json()).toEqual({ response_token: `sha256=${mac}` })
  })

  it('x: signing oracle: does not sign a token that could be an event', async () => {
    const { id } = await createTrigger(owner, { options: { source: 'x' }, webhook_secret: SECRET })
    for (const token of ['{"a":1}', '', 'a'.repeat(129), 'a b'])
      expect((await edge(`/webhook/${id}?crc_token=${encodeURIComponent(token)}`)).status).toBe(405)
    const { id: other } = await sourced()
    expect((await edge(`/webhook/${other}?crc_token=abc`)).status).toBe(405)
  })

  it('slack: echoes a signed challenge only', async () => {
    const { id } = await createTrigger(owner, {
      options: { source: 'slack' },
      webhook_secret: SECRET,
    })
    const body = '{"type":"url_verification","challenge":"c1"}'
    const at = String(Math.floor(Date.now() / 1000))
    const headers = {
      'x-slack-request-timestamp': at,
      'x-slack-signature': `v0=${hex(`v0:${at}:${body}`)}`,
    }
    expect(await (await send(id, headers, body)).text()).toBe('c1')
    expect((await send(id, {}, body)).status).toBe(401)
  })
})

describe('webhook_secret', () => {
  const create = (over: object) => {
    const { path, init } = post('/api/triggers', webhook(over))
    return owner.api(path, init)
  }
  const refusal = async (response: Response) => {
    const { message, fix }: { message: string; fix: string } = await response.json()
    expect(fix).toMatch(/./)
    return `${response.status} ${message}`
  }

  it.each([
    [{ options: { source: 'github' } }, /^422 webhook_secret: options.source requires a secret/],
    [{ webhook_secret: SECRET }, /^422 webhook_secret: a secret requires options.source/],
    [{ options: { source: 'github' }, webhook_secret: '' }, /^422 webhook_secret/],
    [{ options: { source: 'github' }, webhook_secret: 'short' }, /^422 webhook_secret/],
    [{ options: { source: 'github' }, webhook_secret: [] }, /^422 webhook_secret/],
    [
      { options: { source: 'github' }, webhook_secret: [SECRET, SECRET, SECRET] },
      /^422 webhook_secret/,
    ],
    [{ options: { source: 'nobody' }, webhook_secret: SECRET }, /^422 options\.source/],
    [
      { options: { source: 'discord' }, webhook_secret: SECRET },
      /^422 webhook_secret: expected a public key of 32 bytes in hex/,
    ],
    [
      { options: { source: { type: 'hmac_sha256', header: 'cookie' } }, webhook_secret: SECRET },
      /^422 options\.source\.header: cookie cannot contain a signature/,
    ],
    [
      { kind: 'schedule', config: { cron: '0 0 * * *' }, webhook_secret: SECRET },
      /^422 webhook_secret: a secret requires options.source/,
    ],
    [
      { kind: 'schedule', config: { cron: '0 0 * * *' }, options: { source: 'github' } },
      /^422 options\.source: not an option of a schedule/,
    ],
  ])('%j is refused', async (over, expected) => {
    expect(await refusal(await create(over))).toMatch(expected)
  })

  it('PATCH: keeps the secret with the source, and removes it with the source', async () => {
    const { id } = await sourced()
    const kept = await patch(id, { options: { source: 'github', dedup: true } })
    expect(kept.status).toBe(200)
    expect((await send(id, github())).status).toBe(202)
    expect((await patch(id, { options: { dedup: true } })).status).toBe(200)
    const row = await sql(id, 'SELECT webhook_secret, rejections FROM trigger')
    expect(row).toEqual([{ webhook_secret: null, rejections: null }])
    expect((await send(id, {})).status).toBe(202)
    expect(await refusal(await patch(id, { options: { source: 'github' } }))).toMatch(/^422 webho/)
    expect(await refusal(await patch(id, { webhook_secret: SECRET }))).toMatch(/^422 webhook_secr/)
  })

  it('PATCH: another source requires its own secret', async () => {
    const { id } = await sourced()
    const changed = await patch(id, { options: { source: 'gitlab' } })
    expect(await refusal(changed)).toMatch(/requires a secret/)
    expect((await send(id, github())).status).toBe(202)
    const both = { options: { source: 'gitlab' }, webhook_secret: 'gitlab-token' }
    expect((await patch(id, both)).status).toBe(200)
    expect((await send(id, github())).status).toBe(401)
    expect((await send(id, { 'x-gitlab-token': 'gitlab-token' })).status).toBe(202)
  })

  it('PATCH: a new secret starts a new count of rejections', async () => {
    const { id } = await sourced()
    await send(id, {})
    await send(id, {})
    expect(await rejected(id)).toMatchObject({ count: 2 })
    await patch(id, { webhook_secret: 'another-secret' })
    expect(await rejected(id)).toMatchObject({ count: 0, last_reason: null, last_at: null })
    expect((await send(id, github(BODY, 'another-secret'))).status).toBe(202)
  })

  it('PATCH: null keeps the secret', async () => {
    const { id } = await sourced()
    expect((await patch(id, { webhook_secret: null, name: 'renamed' })).status).toBe(200)
    expect((await send(id, github())).status).toBe(202)
  })

  it('stolen edge: the secret is not in any row, record, list, response or log', async () => {
    const logs = (['debug', 'info', 'warn', 'error', 'log'] as const).map((level) =>
      vi.spyOn(console, level),
    )
    const canary = `canary-${crypto.randomUUID()}`
    const { id } = await sourced({ webhook_secret: canary })
    const run = await fire(id, BODY, { headers: github(BODY, canary) })
    await send(id, {})
    await runOnce(owner, run)
    const answers = [
      await owner.api('/api/triggers'),
      await owner.api(`/api/triggers/${id}`),
      await owner.api(`/api/triggers/${id}/runs`),
      await owner.api(`/api/runs/${run}`),
      await patch(id, { name: 'renamed' }),
      await patch(id, { webhook_secret: canary }),
      await create({ options: { source: 'discord' }, webhook_secret: canary }),
      await send(id, {}),
    ]
    const shown = await Promise.all(answers.map((answer) => answer.text()))
    const tables = await sql<{ name: string }>(
      id,
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
    )
    const rows = await Promise.all(tables.map(({ name }) => sql(id, `SELECT * FROM "${name}"`)))
    const { results } = await env.DB.prepare('SELECT * FROM triggers WHERE id = ?').bind(id).all()
    expect(JSON.stringify(results)).toContain('github')
    const stored = await sql<{ webhook_secret: string }>(id, 'SELECT webhook_secret FROM trigger')
    expect(stored[0]!.webhook_secret).toMatch(/^[A-Za-z0-9_-]{40,}$/)
    const logged = JSON.stringify(logs.map((log) => log.mock.calls))
    for (const place of [...shown, JSON.stringify(rows), JSON.stringify(results), logged])
      expect(place).not.toContain(canary)
    for (const text of shown) expect(text).not.toContain(stored[0]!.webhook_secret)
  })

  it('moved secret: a secret that was sealed for another trigger cannot be opened', async () => {
    const [one, other] = [await sourced(), await sourced({ webhook_secret: 'the-other-secret' })]
    const [row] = await sql<{ webhook_secret: string }>(
      one.id,
      'SELECT webhook_secret FROM trigger',
    )
    await sql(other.id, 'UPDATE trigger SET webhook_secret = ?', row!.webhook_secret)
    await kill(other.id)
    expect((await send(other.id, github())).status).toBe(500)
    expect(await runsOf(other.id)).toEqual([])
  })

  it('is deleted with the trigger', async () => {
    const { id } = await sourced()
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await send(id, github())).status).toBe(404)
  })

  it('differs in storage for the same secret', async () => {
    const sealed = () => sealSecrets({ triggerId: 't', macKey: env.ID_MAC_KEY }, [SECRET], random)
    expect(await sealed()).not.toBe(await sealed())
  })
})

it('each sender that signs no URL is accepted at its webhook', async () => {
  const usable = VECTORS.filter(
    ({ request, signedAt }) => !request.url.includes('?') && signedAt === undefined,
  ).filter(({ source }) => !['square', 'trello', 'twilio'].includes(source as string))
  expect(usable.length).toBeGreaterThan(20)
  for (const { source, secret, request } of usable) {
    const { id } = await createTrigger(owner, { options: { source }, webhook_secret: secret })
    const answer = await send(id, request.headers, request.body)
    expect([source, answer.status]).toEqual([source, 202])
    expect([source, (await send(id, {}, request.body)).status]).toEqual([source, 401])
  }
})
