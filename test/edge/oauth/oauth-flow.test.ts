import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { edge } from '../app.ts'
import { called } from '../../shared/cli/mcp-calls.ts'
import { postMessage, transportTo } from '../mcp/remote-client.ts'
import {
  anonymous,
  authorized,
  consent,
  decide,
  documentRequests,
  errorOf,
  exchange,
  location,
  newAuthorization,
  newClient,
  pathOf,
  type Person,
  REDIRECT,
  refresh,
  signedIn,
  unescaped,
} from './oauth-client.ts'
import { field, signIn } from '../identity/browser.ts'

/** The memory of an MCP client, and its person’s browser. */
function provider(clientId: string, person: Person) {
  const kept: {
    tokens?: StoredOAuthTokens
    information?: StoredOAuthClientInformation
    verifier?: string
    callback?: URL
  } = {}
  const client: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadataUrl: clientId,
    clientMetadata: { client_name: 'Robot', redirect_uris: [REDIRECT] },
    clientInformation: () => kept.information,
    saveClientInformation: (information) => void (kept.information = information),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    state: () => 'the state of the client',
    async redirectToAuthorization(url) {
      const page = await (await person.get(url.pathname + url.search)).text()
      const form = {
        request: unescaped(field(page, 'request')),
        csrf: field(page, 'csrf'),
        access: 'all',
        decision: 'authorize',
      }
      kept.callback = location(await person.post('/oauth/authorize', form))
    },
  }
  return { client, kept }
}

describe('the official MCP client', () => {
  it('finds the server, is authorized by a person, calls tools, and refreshes its token', async () => {
    const person = await signedIn()
    const clientId = await newClient()
    const { client: authProvider, kept } = provider(clientId, person)
    const first = transportTo({ authProvider })
    const connecting = new Client({ name: 'test', version: '1' }).connect(first)
    await expect(connecting).rejects.toThrow(UnauthorizedError)
    expect(kept.callback!.searchParams.get('state')).toBe('the state of the client')
    await first.finishAuth(kept.callback!.searchParams)

    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transportTo({ authProvider }))
    expect(await called(client, 'whoami')).toMatchObject({ email: person.email, label: 'Robot' })
    const { access_token: before } = kept.tokens!
    // The client refreshes its token once the server refuses it.
    kept.tokens = { ...kept.tokens!, access_token: `${before.slice(0, -4)}AAAA` }
    expect((await called(client, 'list_triggers')).triggers).toEqual([])
    expect(kept.tokens.access_token).not.toBe(before)
    await client.close()
  })
})

describe('metadata', () => {
  it('a request without a token leads to the metadata of the resource, and that to the server', async () => {
    const challenge = (await postMessage({})).headers.get('www-authenticate')!
    const url = /resource_metadata="([^"]+)"/.exec(challenge)![1]!
    expect(url).toBe('https://edge.test/.well-known/oauth-protected-resource/mcp')
    const resource: any = await (await edge(url)).json()
    expect(resource).toMatchObject({
      resource: 'https://edge.test/mcp',
      authorization_servers: ['https://edge.test'],
      scopes_supported: ['triggers:read', 'triggers:write'],
    })
    const path = '/.well-known/oauth-authorization-server'
    const server: any = await (await edge(path)).json()
    expect(server).toMatchObject({
      issuer: 'https://edge.test',
      authorization_endpoint: 'https://edge.test/oauth/authorize',
      token_endpoint: 'https://edge.test/oauth/token',
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    expect(server).not.toHaveProperty('registration_endpoint')
  })

  it('is the same at the root', async () => {
    const [one, other] = await Promise.all(
      ['', '/mcp'].map((path) => edge(`/.well-known/oauth-protected-resource${path}`)),
    )
    expect(await one!.json()).toEqual(await other!.json())
  })
})

describe('authorization', () => {
  it('returns the code with the state and the issuer, and the code gives tokens', async () => {
    const person = await signedIn()
    const authorization = await newAuthorization(await newClient())
    const url = location(await decide(person, authorization))
    expect(url.origin + url.pathname).toBe(REDIRECT)
    expect(url.searchParams.get('state')).toBe('a state')
    expect(url.searchParams.get('iss')).toBe('https://edge.test')
    const response = await exchange(authorization, url.searchParams.get('code')!)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'triggers:read triggers:write',
    })
  })

  it('continues after sign-in', async () => {
    const person = anonymous()
    const authorization = await newAuthorization(await newClient())
    const sent = new URL(
      (await person.get(pathOf(authorization))).headers.get('location')!,
      REDIRECT,
    )
    expect(sent.pathname).toBe('/sign-in')
    const next = sent.searchParams.get('next')!
    await signIn(person, `${crypto.randomUUID()}@example.com`)
    expect(await (await person.get(next)).text()).toContain('Robot')
  })

  it('a person can grant less than the client requests', async () => {
    const tokens = await authorized(await signedIn(), await newClient(), { access: 'read' })
    expect(tokens.scope).toBe('triggers:read')
  })

  it('tells the client that the person refused', async () => {
    const person = await signedIn()
    const authorization = await newAuthorization(await newClient())
    const url = location(await decide(person, authorization, { decision: 'refuse' }))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'access_denied',
      state: 'a state',
      iss: 'https://edge.test',
    })
  })

  it.each(['http://127.0.0.1/callback', 'http://localhost/callback', 'http://[::1]/callback'])(
    'a program on the device may use any port of %s',
    async (registered) => {
      const person = await signedIn()
      const clientId = await newClient({ redirect_uris: [registered] })
      const redirect_uri = registered.replace('/callback', ':53123/callback')
      const authorization = await newAuthorization(clientId, { redirect_uri })
      const page = await person.get(pathOf(authorization))
      expect(await page.text()).toContain('Any program on this device can pretend')
      const code = await consent(person, authorization)
      expect((await exchange(authorization, code)).status).toBe(200)
    },
  )

  it('requests the document of a client again only after its lifetime', async () => {
    const person = await signedIn()
    const json = { 'content-type': 'application/json' }
    const cached = await newClient({}, { headers: { ...json, 'cache-control': 'max-age=600' } })
    const fresh = await newClient()
    for (const clientId of [cached, cached, fresh, fresh])
      await person.get(pathOf(await newAuthorization(clientId)))
    expect(await documentRequests(cached)).toBe(1)
    expect(await documentRequests(fresh)).toBe(2)
  })
})

describe('programs of a person', () => {
  it('are listed, and can be revoked', async () => {
    const person = await signedIn()
    const clientId = await newClient()
    const { access_token, refresh_token } = await authorized(person, clientId)
    const page = await (await person.get('/agent/tokens')).text()
    expect(page).toContain('Robot')
    const form = { grant: field(page, 'grant'), csrf: field(page, 'csrf') }
    expect((await person.post('/agent/grants/revoke', form)).status).toBe(200)
    expect((await postMessage({ authorization: `Bearer ${access_token}` })).status).toBe(401)
    expect(await errorOf(await refresh(clientId, refresh_token))).toBe('invalid_grant')
  })

  it('are revoked with all other programs', async () => {
    const person = await signedIn()
    const { access_token } = await authorized(person, await newClient())
    const page = await (await person.get('/agent/tokens')).text()
    const csrf = /name="token" value="all".*?name="csrf" value="([^"]*)"/s.exec(page)![1]!
    await person.post('/agent/tokens/revoke', { token: 'all', csrf })
    expect((await postMessage({ authorization: `Bearer ${access_token}` })).status).toBe(401)
  })

  it('can revoke their own tokens', async () => {
    const person = await signedIn()
    const clientId = await newClient()
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const tokens = await authorized(person, clientId)
      const body = new URLSearchParams({ token: tokens[kind], client_id: clientId })
      expect((await edge('/oauth/revoke', { method: 'POST', body })).status).toBe(200)
      const authorization = `Bearer ${tokens.access_token}`
      expect((await postMessage({ authorization })).status).toBe(401)
      expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400)
    }
  })
})
