/** An OAuth client and a person with a browser, against the whole Worker. */
import { inject } from 'vitest'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { startSession } from '../../../edge/identity/sessions.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { db, edge, env, random } from '../app.ts'
import { challengeOf } from '../identity/agent.ts'
import { field, openBrowser } from '../identity/browser.ts'

export type Person = ReturnType<typeof openBrowser>

let people = 0

/** A browser of the Worker with a session of a new account. Mailed sign-in links are limited per address. */
export async function signedIn(): Promise<Person & { email: string }> {
  const browser = anonymous()
  const email = `oauth${++people}-${crypto.randomUUID()}@example.com`
  const deps = { db, now: Date.now, random, settings: env }
  const user = await findOrCreateUser(deps, email)
  browser.jar.cookie = `__Host-svc=${await startSession(deps, user.id)}`
  return { ...browser, email }
}

export function anonymous(): Person {
  const request = (input: string | URL, init?: RequestInit) =>
    edge(String(input), { redirect: 'manual', ...init })
  return openBrowser({ app: { request } } as unknown as Parameters<typeof openBrowser>[0])
}

export const REDIRECT = 'https://client.example.com/callback'

type Document = Record<string, unknown>
type Served = { status?: number; headers?: Record<string, string>; body?: string }

/** Serves a metadata document. @returns the client ID */
export async function newClient(changes: Document = {}, served: Served = {}): Promise<string> {
  const path = `/${crypto.randomUUID()}/client.json`
  const clientId = inject('clientDocuments') + path
  const document = {
    client_id: clientId,
    client_name: 'Robot',
    redirect_uris: [REDIRECT],
    ...changes,
  }
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
    ...served,
  }
  await fetch(clientId, { method: 'PUT', body: JSON.stringify(response) })
  return clientId
}

/** Number of times that the documents of a client were requested. */
export async function documentRequests(clientId: string): Promise<number> {
  const paths: string[] = await (await fetch(`${inject('clientDocuments')}/requests`)).json()
  return paths.filter((path) => clientId.endsWith(path)).length
}

export type Authorization = {
  clientId: string
  verifier: string
  parameters: Record<string, string>
}

/** Creates a valid authorization request. A change to `''` removes the parameter. */
export async function newAuthorization(
  clientId: string,
  changes: Record<string, string> = {},
): Promise<Authorization> {
  const verifier = encodeBase64url(random(32))
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    resource: 'https://edge.test/mcp',
    scope: 'triggers:read triggers:write',
    state: 'a state',
    ...changes,
  }
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  return { clientId, verifier, parameters: Object.fromEntries(given) }
}

export const pathOf = ({ parameters }: Authorization) =>
  `/oauth/authorize?${new URLSearchParams(parameters).toString()}`

/** Opens the consent page, and submits its form. */
export async function decide(
  person: Person,
  authorization: Authorization,
  changes: Record<string, string> = {},
): Promise<Response> {
  const page = await (await person.get(pathOf(authorization))).text()
  const form = {
    request: unescaped(field(page, 'request')),
    csrf: field(page, 'csrf'),
    access: 'all',
    decision: 'authorize',
    ...changes,
  }
  return person.post('/oauth/authorize', form)
}

export const unescaped = (text: string) => text.replaceAll('&amp;', '&')

export const location = (response: Response) => new URL(response.headers.get('location')!)

/** @returns the authorization code of a person’s consent */
export async function consent(
  person: Person,
  authorization: Authorization,
  changes: Record<string, string> = {},
): Promise<string> {
  return location(await decide(person, authorization, changes)).searchParams.get('code')!
}

export function requestToken(
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return edge('/oauth/token', { method: 'POST', headers, body: new URLSearchParams(parameters) })
}

export const exchange = (
  { clientId, verifier, parameters }: Authorization,
  code: string,
  changes: Record<string, string> = {},
) =>
  requestToken({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: parameters.redirect_uri!,
    code_verifier: verifier,
    resource: 'https://edge.test/mcp',
    ...changes,
  })

export const refresh = (clientId: string, token: string, changes: Record<string, string> = {}) =>
  requestToken({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
    ...changes,
  })

export type Tokens = {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
}

/** Runs the whole flow. */
export async function authorized(
  person: Person,
  clientId: string,
  changes: Record<string, string> = {},
): Promise<Tokens> {
  const authorization = await newAuthorization(clientId)
  const response = await exchange(authorization, await consent(person, authorization, changes))
  return response.json()
}

export const errorOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: string }).error
