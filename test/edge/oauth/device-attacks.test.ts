import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentRequests, agentTokens, oauthGrants } from '../../../edge/db/schema.ts'
import { RATES } from '../../../edge/limits/rates.ts'
import { db, edge, post } from '../app.ts'
import { challengeOf } from '../identity/agent.ts'
import { field, fromUs, requestLink } from '../identity/browser.ts'
import { postMessage } from '../mcp/remote-client.ts'
import {
  another,
  approve,
  challengeOfDevice,
  CLIENT,
  connected,
  fromAnyAddress,
  type Device,
  newDevice,
  opened,
  pathOf,
  poll,
  requestCode,
  typeCode,
} from './device-client.ts'
import {
  anonymous,
  documentRequests,
  errorOf,
  newClient,
  type Person,
  refresh,
  requestToken,
  signedIn,
} from './oauth-client.ts'

let person: Person & { email: string }
beforeAll(async () => {
  person = await signedIn()
})

const withToken = (token: string) => postMessage({ authorization: `Bearer ${token}` })
const rowOf = (device: Device) =>
  db
    .select()
    .from(agentRequests)
    .where(eq(agentRequests.challenge, challengeOfDevice(device)))
    .get()
const setRow = (device: Device, changes: Partial<typeof agentRequests.$inferInsert>) =>
  db
    .update(agentRequests)
    .set(changes)
    .where(eq(agentRequests.challenge, challengeOfDevice(device)))

describe('consent phishing', () => {
  it('link sent by an attacker: the page warns, shows an unverified name, and requires the code', async () => {
    const device = await newDevice()
    const page = await (await person.get(pathOf(device))).text()
    for (const text of ['Any program can use any name', 'somebody sent you', 'told you the code'])
      expect(page.replaceAll(/\s+/g, ' ')).toContain(text)
    expect(page).not.toContain(device.user_code)
    const withoutCode = await approve(person, device, { user_code: '' })
    expect(withoutCode.status).toBe(400)
    expect(await errorOf(await poll(device))).toBe('authorization_pending')
  })

  it('code sent by an attacker: the page for codes warns too', async () => {
    const page = await (await person.get('/device')).text()
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      'Only continue if you just started this yourself',
    )
  })

  it('sign-in link to the page for codes: the link warns', async () => {
    const browser = anonymous()
    const email = `${crypto.randomUUID()}@example.com`
    const secret = await requestLink(browser, email, '/device')
    const page = await (await browser.get(`/sign-in/link?secret=${secret}`)).text()
    expect(page).toContain('asks you to authorize a program')
  })

  it('famous client ID: its document is not fetched and lends no name', async () => {
    const clientId = await newClient({ client_name: 'A famous client' })
    const body = new URLSearchParams({ client_id: clientId })
    const path = '/oauth/device_authorization'
    const codes: Omit<Device, 'clientId'> = await (
      await edge(path, { method: 'POST', body })
    ).json()
    const device = { ...codes, clientId }
    const page = await (await person.get(pathOf(device))).text()
    expect(page).not.toContain('A famous client')
    expect(await documentRequests(clientId)).toBe(0)
  })
})

describe('guessing', () => {
  it('user code: is locked after five wrong codes, and then refuses the right one', async () => {
    const guesser = await signedIn()
    const device = await newDevice()
    const csrf = await opened(guesser, device)
    for (let guess = 0; guess < 5; guess++)
      await approve(guesser, device, { csrf, user_code: another(device.user_code) })
    expect((await approve(guesser, device, { csrf })).status).toBe(410)
    expect(await errorOf(await poll(device))).toBe('access_denied')
  })

  it('user codes of strangers: an account can try a limited number', async () => {
    const guesser = await signedIn()
    const csrf = field(await (await guesser.get('/device')).text(), 'csrf')
    const statuses = []
    for (let guess = 0; guess < RATES.user_code_account.burst * 3; guess++)
      statuses.push((await guesser.post('/device', { csrf, user_code: 'ZZZZ-ZZZZ' })).status)
    expect(statuses[0]).toBe(400)
    expect(statuses).toContain(429)
  })

  it('oracle: a closed request gets the same page as an unknown code', async () => {
    const guesser = await signedIn()
    const device = await newDevice()
    await approve(guesser, device, { decision: 'refuse' })
    const texts = []
    for (const code of [device.user_code, another(device.user_code)]) {
      const response = await typeCode(guesser, code)
      texts.push([response.status, (await response.text()).includes('No open request')])
    }
    expect(texts).toEqual([
      [400, true],
      [400, true],
    ])
  })

  it('code of an agent: the page for device codes does not find it', async () => {
    const guesser = await signedIn()
    const body = { challenge: await challengeOf(crypto.randomUUID()), label: 'an agent' }
    const { path, init } = post('/agent/requests', body)
    const agent = await fromAnyAddress(path, init)
    const { user_code }: { user_code: string } = await agent.json()
    expect((await typeCode(guesser, user_code)).status).toBe(400)
  })

  it('device code: another one, the challenge, and the user code give nothing', async () => {
    const device = await newDevice()
    await approve(person, device)
    for (const guess of [
      `svcd_${'A'.repeat(43)}`,
      challengeOfDevice(device),
      device.user_code,
      device.device_code.slice(0, -1),
    ])
      expect(await errorOf(await poll({ ...device, device_code: guess }))).toBe('invalid_grant')
    expect((await poll(device)).status).toBe(200)
  })
})

describe('stolen or replayed device code', () => {
  it('another client: is refused, and the right one still gets tokens', async () => {
    const device = await newDevice()
    await approve(person, device)
    const stolen = await poll(device, { client_id: 'https://evil.example/client.json' })
    expect(await errorOf(stolen)).toBe('invalid_grant')
    expect((await poll(device)).status).toBe(200)
  })

  it('replay: is refused, and revokes the tokens of the first exchange', async () => {
    const { device, access_token, refresh_token } = await connected(person)
    expect(await errorOf(await poll(device))).toBe('invalid_grant')
    expect((await withToken(access_token)).status).toBe(401)
    expect(await errorOf(await refresh(CLIENT, refresh_token))).toBe('invalid_grant')
  })

  it('race: simultaneous polls never get two working pairs of tokens', async () => {
    const device = await newDevice()
    await approve(person, device)
    const responses = await Promise.all([1, 2, 3].map(() => poll(device)))
    const granted = responses.filter(({ status }) => status === 200)
    expect(granted.length).toBeLessThanOrEqual(1)
    for (const response of granted) {
      const tokens: any = await response.json()
      expect((await withToken(tokens.access_token)).status).toBe(401)
    }
  })

  it('expired request: gives no tokens, and cannot be approved', async () => {
    const device = await newDevice()
    const csrf = await opened(person, device)
    await setRow(device, { expiresAt: Date.now() - 1 })
    expect(await errorOf(await poll(device))).toBe('expired_token')
    expect((await approve(person, device, { csrf })).status).toBe(410)
    expect((await typeCode(person, device.user_code)).status).toBe(400)
  })

  it('approval that is not picked up: ends with the device code', async () => {
    const device = await newDevice()
    await approve(person, device)
    const { id } = (await rowOf(device))!
    await db
      .update(oauthGrants)
      .set({ expiresAt: Date.now() - 1 })
      .where(eq(oauthGrants.id, id))
    expect(await errorOf(await poll(device))).toBe('expired_token')
  })

  it('revoked before the first poll: gives no tokens', async () => {
    const visitor = await signedIn()
    const device = await newDevice()
    await approve(visitor, device)
    const { id } = (await rowOf(device))!
    await db.update(oauthGrants).set({ revokedAt: Date.now() }).where(eq(oauthGrants.id, id))
    expect(await errorOf(await poll(device))).toBe('invalid_grant')
  })

  it('device code as a token: neither the API nor the MCP server accepts it', async () => {
    const device = await newDevice()
    await approve(person, device)
    expect((await withToken(device.device_code)).status).toBe(401)
    const headers = { authorization: `Bearer ${device.device_code}` }
    expect((await edge('/api/me', { headers })).status).toBe(401)
    // The hash of a token that an agent could send is never the challenge of a device code.
    expect(await challengeOf(device.device_code)).not.toBe(challengeOfDevice(device))
    const bound = eq(agentTokens.challenge, challengeOfDevice(device))
    expect(await db.$count(agentTokens, bound)).toBe(0)
  })

  it('token for the MCP server: the API does not accept it', async () => {
    const { access_token } = await connected(person)
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await edge('/api/me', { headers })).status).toBe(401)
  })

  it('registered request of an agent: its token cannot be exchanged', async () => {
    const token = 'x'.repeat(64)
    const { path, init } = post('/agent/requests', {
      challenge: await challengeOf(token),
      label: 'an agent',
    })
    expect((await fromAnyAddress(path, init)).status).toBe(201)
    const stolen = await poll({ clientId: CLIENT, device_code: token })
    expect(await errorOf(stolen)).toBe('invalid_grant')
  })

  it('stolen database: contains neither of the codes nor a plain hash of the user code', async () => {
    const device = await newDevice()
    const stored = JSON.stringify(await rowOf(device))
    for (const secret of [
      device.device_code,
      device.device_code.slice(5),
      device.user_code,
      await challengeOf(device.user_code),
      await challengeOf(device.user_code.replace('-', '')),
    ])
      expect(stored).not.toContain(secret)
  })
})

describe('approval by an attacker', () => {
  it('second account: cannot take over a request that was approved', async () => {
    const device = await newDevice()
    const attacker = await signedIn()
    const csrf = await opened(attacker, device)
    await approve(person, device)
    expect((await approve(attacker, device, { csrf })).status).toBe(409)
    const tokens: any = await (await poll(device)).json()
    expect((await withToken(tokens.access_token)).status).toBe(200)
    expect(await (await attacker.get('/agent/tokens')).text()).toContain('No access tokens yet')
  })

  it('race: one of two simultaneous approvals counts', async () => {
    const device = await newDevice()
    const attacker = await signedIn()
    const people = [person, attacker]
    const tokens = await Promise.all(people.map((one) => opened(one, device)))
    const responses = await Promise.all(
      people.map((one, i) => approve(one, device, { csrf: tokens[i]! })),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409])
    const { id } = (await rowOf(device))!
    expect(await db.$count(oauthGrants, eq(oauthGrants.id, id))).toBe(1)
  })

  it('CSRF: forms of other sites, and form tokens of other requests or pages, grant nothing', async () => {
    const device = await newDevice()
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const csrf = field(await (await person.get('/device')).text(), 'csrf')
    const code = { csrf, user_code: device.user_code }
    expect((await person.post('/device', code, evil)).status).toBe(403)
    expect((await person.post('/device', { ...code, csrf: '' }, fromUs)).status).toBe(403)
    expect((await approve(person, device, { csrf })).status).toBe(403)
    const other = field(await (await person.get(pathOf(await newDevice()))).text(), 'csrf')
    expect((await approve(person, device, { csrf: other })).status).toBe(403)
    expect(await errorOf(await poll(device))).toBe('authorization_pending')
  })

  it('clickjacking: the page for codes cannot be framed', async () => {
    const { headers } = await person.get('/device')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('scope escalation: the form cannot grant more than was requested', async () => {
    const device = await newDevice({ scope: 'triggers:read' })
    await approve(person, device, { access: 'all', scopes: 'triggers:write' })
    const tokens: any = await (await poll(device, { scope: 'triggers:write' })).json()
    expect(tokens.scope).toBe('triggers:read')
  })

  it('typing a code grants nothing', async () => {
    const visitor = await signedIn()
    const device = await newDevice()
    expect((await typeCode(visitor, device.user_code)).status).toBe(200)
    expect(await errorOf(await poll(device))).toBe('authorization_pending')
  })
})

describe('hostile device', () => {
  it('polling flood: is told to slow down, and gets its tokens after the approval', async () => {
    const device = await newDevice()
    const errors = []
    for (let i = 0; i < 20; i++) errors.push(await errorOf(await poll(device)))
    expect(errors[0]).toBe('authorization_pending')
    expect(errors).toContain('slow_down')
    await approve(person, device)
    expect((await poll(device)).status).toBe(200)
  })

  it.each([
    ['no client', { client_id: '' }, 'invalid_request'],
    ['a name as client', { client_id: 'robot' }, 'invalid_client'],
    ['an http client', { client_id: 'http://device.example.com/client.json' }, 'invalid_client'],
    ['a private client', { client_id: 'https://10.0.0.1/client.json' }, 'invalid_client'],
    [
      'a host that would be cut off',
      { client_id: `https://famous.example.${'a'.repeat(60)}.example/client.json` },
      'invalid_client',
    ],
    ['unknown scopes', { scope: 'admin' }, 'invalid_scope'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['a client secret', { client_secret: 'guess' }, 'invalid_client'],
  ])('%s: is refused', async (_, changes, error) => {
    expect(await errorOf(await requestCode(changes))).toBe(error)
  })

  it('other content types and repeated parameters are refused', async () => {
    const path = '/oauth/device_authorization'
    const json = { 'content-type': 'application/json' }
    const asJson = await edge(path, { method: 'POST', headers: json, body: '{}' })
    expect(await errorOf(asJson)).toBe('invalid_request')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = `client_id=${CLIENT}&client_id=https://evil.example/client.json`
    expect(await errorOf(await edge(path, { method: 'POST', headers, body }))).toBe(
      'invalid_request',
    )
  })

  it('token for another resource is not issued', async () => {
    const device = await newDevice()
    await approve(person, device)
    const other = await poll(device, { resource: 'https://evil.example/mcp' })
    expect(await errorOf(other)).toBe('invalid_target')
    expect((await poll(device)).status).toBe(200)
  })

  it('authorization code without a code: a grant of a device has none', async () => {
    const device = await newDevice()
    await approve(person, device)
    const { id } = (await rowOf(device))!
    const response = await requestToken({
      grant_type: 'authorization_code',
      client_id: CLIENT,
      code: `svcc_${id}${'A'.repeat(43)}`,
      redirect_uri: '',
      code_verifier: 'x'.repeat(43),
    })
    expect(await errorOf(response)).toBe('invalid_grant')
    expect((await poll(device)).status).toBe(200)
  })
})

it('request flood: an address can create a limited number of codes', async () => {
  const statuses = []
  for (let i = 0; i < RATES.agent_request_address.burst * 3; i++)
    statuses.push((await requestCode({}, { 'cf-connecting-ip': '203.0.113.147' })).status)
  expect(statuses[0]).toBe(200)
  expect(statuses).toContain(429)
})
