import { beforeAll, describe, expect, it } from 'vitest'
import { edge } from '../app.ts'
import { field, fromUs } from '../identity/browser.ts'
import { postMessage } from '../mcp/remote-client.ts'
import {
  anonymous,
  type Authorization,
  authorized,
  consent,
  decide,
  documentRequests,
  errorOf,
  exchange,
  newAuthorization,
  newClient,
  pathOf,
  type Person,
  REDIRECT,
  refresh,
  requestToken,
  signedIn,
  unescaped,
} from './oauth-client.ts'

let person: Person & { email: string }
let clientId: string
beforeAll(async () => {
  person = await signedIn()
  // Cached, because the requests for documents of an account are limited.
  clientId = await newClient({}, { headers: { ...JSON_TYPE, 'cache-control': 'max-age=600' } })
})

const JSON_TYPE = { 'content-type': 'application/json' }

/** The page shows the error, and does not lead anywhere else. */
async function expectErrorPage(
  authorization: Authorization,
  text: string,
  visitor: Person = person,
): Promise<void> {
  const response = await visitor.get(pathOf(authorization))
  expect(response.status).toBe(400)
  expect(response.headers.get('location')).toBeNull()
  const page = await response.text()
  expect(page).toContain(text)
  expect(page).not.toContain('evil.example')
}

const withToken = (token: string) => postMessage({ authorization: `Bearer ${token}` })

describe('hostile redirect URI', () => {
  it.each([
    ['another host', 'https://evil.example/callback'],
    ['a subdomain', 'https://a.client.example.com/callback'],
    ['another path', `${REDIRECT}/more`],
    ['path traversal', 'https://client.example.com/x/../callback'],
    ['an added query', `${REDIRECT}?next=https://evil.example`],
    ['another case', 'https://client.example.com/Callback'],
    ['another port', 'https://client.example.com:8443/callback'],
    ['the default port', 'https://client.example.com:443/callback'],
    ['user information', 'https://client.example.com@evil.example/callback'],
    ['a fragment', `${REDIRECT}#x`],
    ['a backslash', 'https://client.example.com\\@evil.example/callback'],
    ['plain http', 'http://client.example.com/callback'],
    ['a script', 'javascript:alert(1)//callback'],
    ['data', 'data:text/html,evil.example'],
    ['a private scheme', 'robot://callback'],
    ['no URL', 'callback'],
  ])('open redirect: %s is not accepted', async (_, redirect_uri) => {
    await expectErrorPage(await newAuthorization(clientId, { redirect_uri }), 'redirect_uri')
  })

  it.each([
    ['another path', 'http://127.0.0.1:1234/evil'],
    ['another loopback name', 'http://localhost:1234/callback'],
    ['a name that begins like a loopback address', 'http://127.0.0.1.evil.example/callback'],
    ['a name that ends like a port', 'http://127.0.0.1:1234@evil.example/callback'],
    ['https', 'https://127.0.0.1:1234/callback'],
  ])('loopback: only the port may differ, not %s', async (_, redirect_uri) => {
    const local = await newClient({ redirect_uris: ['http://127.0.0.1/callback'] })
    await expectErrorPage(await newAuthorization(local, { redirect_uri }), 'redirect_uri')
  })

  it('invalid request with a valid redirect URI: the person is not sent there', async () => {
    await expectErrorPage(await newAuthorization(clientId, { scope: 'admin' }), 'invalid_scope')
    await expectErrorPage(
      await newAuthorization(clientId, { resource: 'https://evil.example' }),
      'invalid_target',
    )
  })

  it('changed redirect URI in the form: the form token does not fit', async () => {
    const registered = await newClient({ redirect_uris: [REDIRECT, 'https://b.example.com/cb'] })
    const authorization = await newAuthorization(registered)
    const page = await (await person.get(pathOf(authorization))).text()
    const request = new URLSearchParams(unescaped(field(page, 'request')))
    request.set('redirect_uri', 'https://b.example.com/cb')
    const changed = await decide(person, authorization, { request: request.toString() })
    expect(changed.status).toBe(403)
  })

  it('document that was changed after the page was opened: the new document applies', async () => {
    const authorization = await newAuthorization(await newClient())
    const page = await (await person.get(pathOf(authorization))).text()
    const form = { request: unescaped(field(page, 'request')), csrf: field(page, 'csrf') }
    await fetch(authorization.clientId, {
      method: 'PUT',
      body: JSON.stringify({ status: 404, headers: {}, body: '' }),
    })
    const response = await person.post('/oauth/authorize', { ...form, decision: 'authorize' })
    expect(response.status).toBe(400)
  })
})

describe('hostile client', () => {
  it.each([
    ['http', 'http://client.example.com/client.json'],
    ['an address', 'https://127.0.0.2.nip.io:8443/client.json'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data'],
    ['a private address', 'https://10.0.0.1/client.json'],
    ['an address as a number', 'https://2130706433/client.json'],
    ['IPv6', 'https://[fd00::1]/client.json'],
    ['an internal name', 'https://db.internal/client.json'],
    ['a name without a domain', 'https://intranet/client.json'],
    ['a port', 'https://client.example.com:8443/client.json'],
    ['user information', 'https://user:pass@client.example.com/client.json'],
    ['no path', 'https://client.example.com/'],
    ['dot segments', 'https://client.example.com/a/../client.json'],
    ['a fragment', 'https://client.example.com/client.json#x'],
    ['a file', 'file:///etc/passwd'],
    ['no URL', 'client'],
  ])('SSRF by client_id: %s is refused', async (_, hostile) => {
    await expectErrorPage(await newAuthorization(hostile), 'client_id')
  })

  it('SSRF by a stranger: the document is fetched only for a signed-in person', async () => {
    const fresh = await newClient()
    await anonymous().get(pathOf(await newAuthorization(fresh)))
    expect(await documentRequests(fresh)).toBe(0)
  })

  it('SSRF by redirect: a redirect of the document is not followed', async () => {
    const target = await newClient()
    const redirecting = await newClient(
      {},
      { status: 302, headers: { location: target }, body: '' },
    )
    await expectErrorPage(await newAuthorization(redirecting), 'status 302')
    expect(await documentRequests(target)).toBe(0)
  })

  it.each([
    ['the ID of another client', { client_id: 'https://good.example.com/client.json' }, {}],
    ['no name', { client_name: undefined }, {}],
    ['a name that reverses text', { client_name: '\u202Eevil' }, {}],
    ['no redirect URIs', { redirect_uris: [] }, {}],
    ['a script as redirect URI', { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }, {}],
    ['a client secret', { client_secret: 'secret' }, {}],
    ['client authentication', { token_endpoint_auth_method: 'private_key_jwt' }, {}],
    ['another grant type', { grant_types: ['client_credentials'] }, {}],
    ['HTML', {}, { headers: { 'content-type': 'text/html' } }],
    ['no JSON', {}, { headers: JSON_TYPE, body: '<html>' }],
    ['a large body', {}, { headers: JSON_TYPE, body: JSON.stringify('x'.repeat(20_000)) }],
    ['an error', {}, { status: 500, headers: JSON_TYPE, body: '{}' }],
  ])('document with %s is refused', async (_, document, served) => {
    const authorization = await newAuthorization(await newClient(document, served))
    await expectErrorPage(authorization, 'client_id', await signedIn())
  })

  it('flood: the documents that an account makes the service request are limited', async () => {
    const flooder = await signedIn()
    const uncached = await newClient()
    const statuses: number[] = []
    for (let i = 0; i < 40; i++)
      statuses.push((await flooder.get(pathOf(await newAuthorization(uncached)))).status)
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(429)
    expect(await documentRequests(uncached)).toBeLessThan(40)
  })

  it('script in its name: the page shows it as text, and runs no inline script', async () => {
    const named = await newClient({ client_name: '<script>alert(1)</script>' })
    const response = await person.get(pathOf(await newAuthorization(named)))
    expect(await response.text()).not.toContain('<script>alert')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('impersonation: the page shows the host of the client and of the redirect', async () => {
    const named = await newClient({ client_name: 'A famous client' })
    const page = await (await person.get(pathOf(await newAuthorization(named)))).text()
    expect(page).toContain(new URL(named).host)
    expect(page).toContain('client.example.com')
    expect(page).toContain('Any program can use any name')
  })

  it.each([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['default PKCE method, which is plain', { code_challenge_method: '' }],
    ['short challenge', { code_challenge: 'x' }],
    ['implicit flow', { response_type: 'token' }],
  ])('PKCE downgrade: %s is refused', async (_, changes) => {
    await expectErrorPage(
      await newAuthorization(clientId, changes),
      'Invalid authorization request',
    )
  })

  it('parameter pollution: a repeated parameter is refused', async () => {
    const authorization = await newAuthorization(clientId)
    const path = `${pathOf(authorization)}&redirect_uri=https%3A%2F%2Fevil.example`
    expect((await person.get(path)).status).toBe(400)
    const body = 'grant_type=refresh_token&grant_type=authorization_code&client_id=x'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await edge('/oauth/token', { method: 'POST', body, headers })
    expect(await errorOf(response)).toBe('invalid_request')
  })

  it('code interception: another verifier gets no token, and the client still can', async () => {
    const authorization = await newAuthorization(clientId)
    const code = await consent(person, authorization)
    const stolen = await exchange(authorization, code, { code_verifier: 'x'.repeat(43) })
    expect([stolen.status, await errorOf(stolen)]).toEqual([400, 'invalid_grant'])
    expect((await exchange(authorization, code)).status).toBe(200)
  })

  it.each([
    ['another client', { client_id: 'https://evil.example/client.json' }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['a client secret', { client_secret: 'guess' }, 'invalid_client'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
  ])(
    'code injection: a code is bound to its request, so %s gets no token',
    async (_, changes, error) => {
      const authorization = await newAuthorization(clientId)
      const code = await consent(person, authorization)
      expect(await errorOf(await exchange(authorization, code, changes))).toBe(error)
    },
  )

  it('replayed code: is refused, and revokes the tokens of the first exchange', async () => {
    const authorization = await newAuthorization(clientId)
    const code = await consent(person, authorization)
    const tokens: any = await (await exchange(authorization, code)).json()
    expect((await withToken(tokens.access_token)).status).toBe(200)
    expect(await errorOf(await exchange(authorization, code))).toBe('invalid_grant')
    expect((await withToken(tokens.access_token)).status).toBe(401)
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400)
  })

  it('race for a code: two exchanges at once never both keep working tokens', async () => {
    const authorization = await newAuthorization(clientId)
    const code = await consent(person, authorization)
    const responses = await Promise.all([1, 2, 3].map(() => exchange(authorization, code)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
    for (const response of responses.filter(({ status }) => status === 200)) {
      const tokens: any = await response.json()
      expect((await withToken(tokens.access_token)).status).toBe(401)
    }
  })

  it('stolen refresh token: its second use revokes the tokens of both', async () => {
    const first = await authorized(person, clientId)
    const second: any = await (await refresh(clientId, first.refresh_token)).json()
    expect((await withToken(first.access_token)).status).toBe(401)
    expect((await withToken(second.access_token)).status).toBe(200)
    expect(await errorOf(await refresh(clientId, first.refresh_token))).toBe('invalid_grant')
    expect((await withToken(second.access_token)).status).toBe(401)
    expect((await refresh(clientId, second.refresh_token)).status).toBe(400)
  })

  it('refresh token of another client: is refused, and stays valid for its own', async () => {
    const other = await newClient()
    const { refresh_token } = await authorized(person, clientId)
    expect(await errorOf(await refresh(other, refresh_token))).toBe('invalid_grant')
    expect((await refresh(clientId, refresh_token)).status).toBe(200)
  })

  it('revocation by another client: has no effect', async () => {
    const tokens = await authorized(person, clientId)
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id: await newClient() })
    expect((await edge('/oauth/revoke', { method: 'POST', body })).status).toBe(200)
    expect((await withToken(tokens.access_token)).status).toBe(200)
  })

  it('more access than was granted: a refresh cannot add a scope', async () => {
    const { refresh_token } = await authorized(person, clientId, { access: 'read' })
    const response = await refresh(clientId, refresh_token, { scope: 'triggers:write' })
    expect(await errorOf(response)).toBe('invalid_scope')
  })

  it('token confusion: each kind of token works only where it belongs', async () => {
    const { access_token, refresh_token } = await authorized(person, clientId)
    expect((await withToken(refresh_token)).status).toBe(401)
    expect(await errorOf(await refresh(clientId, access_token))).toBe('invalid_grant')
    const authorization = await newAuthorization(clientId)
    expect(await errorOf(await exchange(authorization, refresh_token))).toBe('invalid_grant')
  })

  it('guessed secret with a known grant: is refused', async () => {
    const { access_token } = await authorized(person, clientId)
    const guessed = `${access_token.slice(0, -43)}${'A'.repeat(43)}`
    expect((await withToken(guessed)).status).toBe(401)
    expect((await withToken(access_token)).status).toBe(200)
  })

  it('other grant types and content types are refused', async () => {
    const password = { grant_type: 'password', client_id: clientId, username: 'a', password: 'b' }
    expect(await errorOf(await requestToken(password))).toBe('unsupported_grant_type')
    const headers = { 'content-type': 'application/json' }
    const response = await edge('/oauth/token', { method: 'POST', headers, body: '{}' })
    expect(await errorOf(response)).toBe('invalid_request')
    const basic = await requestToken({ client_id: clientId }, { authorization: 'Basic eDp5' })
    expect([basic.status, await errorOf(basic)]).toEqual([401, 'invalid_client'])
  })
})

describe('hostile page in the browser', () => {
  it('CSRF: a form of another site grants nothing', async () => {
    const authorization = await newAuthorization(clientId)
    const page = await (await person.get(pathOf(authorization))).text()
    const form = { request: unescaped(field(page, 'request')), decision: 'authorize' }
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const valid = { ...form, csrf: field(page, 'csrf') }
    expect((await person.post('/oauth/authorize', valid, evil)).status).toBe(403)
    expect((await person.post('/oauth/authorize', form, fromUs)).status).toBe(403)
  })

  it('CSRF: a form token of another session or request is refused', async () => {
    const [mine, theirs] = [await newAuthorization(clientId), await newAuthorization(clientId)]
    const attacker = await signedIn()
    const page = await (await attacker.get(pathOf(mine))).text()
    const form = { csrf: field(page, 'csrf') }
    expect((await decide(person, mine, form)).status).toBe(403)
    const other = await (await person.get(pathOf(theirs))).text()
    expect((await decide(person, mine, { csrf: field(other, 'csrf') })).status).toBe(403)
  })

  it('clickjacking: the page cannot be framed', async () => {
    const { headers } = await person.get(pathOf(await newAuthorization(clientId)))
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('form hijacking: forms can be sent only to this site and redirected only to the client', async () => {
    const { headers } = await person.get(pathOf(await newAuthorization(clientId)))
    expect(headers.get('content-security-policy')).toContain(
      "form-action 'self' https://client.example.com;",
    )
  })

  it('opening the page grants nothing', async () => {
    const visitor = await signedIn()
    await visitor.get(pathOf(await newAuthorization(clientId)))
    expect(await (await visitor.get('/agent/tokens')).text()).toContain('No access tokens yet')
  })

  it('code in a Referer or a cache: the redirect forbids both', async () => {
    const response = await decide(person, await newAuthorization(clientId))
    expect(response.status).toBe(303)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('foreign grant: a person can revoke only their own', async () => {
    const owner = await signedIn()
    const { access_token } = await authorized(owner, clientId)
    const grant = access_token.slice(5, 27)
    const attacker = await signedIn()
    const ownTokens = await authorized(attacker, clientId)
    const page = await (await attacker.get('/agent/tokens')).text()
    expect(page).toContain(ownTokens.access_token.slice(5, 27))
    const form = { grant, csrf: field(page, 'csrf') }
    expect((await attacker.post('/agent/grants/revoke', form)).status).toBe(403)
    expect((await withToken(access_token)).status).toBe(200)
  })
})

describe('hostile resource', () => {
  it('token for the MCP server: the API does not accept it', async () => {
    const { access_token } = await authorized(person, clientId)
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await edge('/api/me', { headers })).status).toBe(401)
    expect((await edge('/api/triggers', { headers })).status).toBe(401)
  })

  it('mix-up: the response names its issuer, also if the person refused', async () => {
    for (const decision of ['authorize', 'refuse']) {
      const response = await decide(person, await newAuthorization(clientId), { decision })
      expect(new URL(response.headers.get('location')!).searchParams.get('iss')).toBe(
        'https://edge.test',
      )
    }
  })

  it('token for another resource is not issued', async () => {
    for (const resource of [
      'https://evil.example/mcp',
      'https://edge.test/api',
      'https://edge.test',
    ])
      await expectErrorPage(await newAuthorization(clientId, { resource }), 'invalid_target')
  })
})
