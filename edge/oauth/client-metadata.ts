/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a client's ID is the URL of a document
 * that describes it, so that clients need no registration.
 */
import { z } from 'zod'
import { BodyReadError, discardBody, readBoundedText } from '../../shared/network/bounded-text.ts'
import { mediaTypeOf } from '../../shared/network/media-type.ts'
import { labelSchema } from '../../shared/wire/agent.ts'
import { parseClientId } from './client-id.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

/** Maximum size of a document. The draft recommends 5 KB. */
export const DOCUMENT_MAX_BYTES = 16 * 1024
/** Maximum time of a request for a document, in milliseconds. */
const TIMEOUT_MS = 5_000
const REDIRECT_URIS_MAX = 50

export type ClientMetadata = { clientId: string; name: string; redirectUris: string[] }

/** `maxAgeS` is the lifetime that the response's `Cache-Control` allows, in seconds. */
export type FetchedMetadata = { client: ClientMetadata; maxAgeS: number }

type FetchDeps = { fetch: typeof fetch; allowLoopback: boolean }

const documentSchema = z.object({
  client_id: z.string(),
  client_name: labelSchema,
  redirect_uris: z
    .array(z.string().refine(isRedirectUri, 'expected https, or http to a loopback address'))
    .min(1)
    .max(REDIRECT_URIS_MAX),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
  client_secret: z.never('a public document cannot contain a secret').optional(),
})

/**
 * Fetches the document of a client. Redirects are not followed, because they could lead into a network.
 * @throws {OAuthError} `invalid_client`. The message never contains the response.
 */
export async function fetchClientMetadata(
  clientId: string,
  { fetch, allowLoopback }: FetchDeps,
): Promise<FetchedMetadata> {
  const url = parseClientId(clientId, { allowLoopback })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const headers = { accept: 'application/json' }
  const response = await fetch(url.href, { redirect: 'manual', signal, headers }).catch(() => {
    throw unavailable('the host does not respond')
  })
  const type = mediaTypeOf(response.headers.get('content-type') ?? undefined) ?? ''
  if (response.status !== 200 || !/^application\/([\w.-]+\+)?json$/.test(type)) {
    await discardBody(response.body)
    throw unavailable(`expected JSON with status 200, got status ${response.status}`)
  }
  const text = await readBoundedText(response, DOCUMENT_MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof BodyReadError)) throw error
    throw unavailable(`it is incomplete, or larger than ${DOCUMENT_MAX_BYTES} bytes`)
  })
  return { client: parseDocument(clientId, text), maxAgeS: maxAgeOf(response.headers) }
}

function parseDocument(clientId: string, text: string): ClientMetadata {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw unavailable('it is not JSON')
  }
  const { data, error } = documentSchema.safeParse(json)
  if (!data) {
    const [issue] = error.issues
    throw unavailable(`${issue?.path.join('.') ?? 'document'}: ${issue?.message ?? 'invalid'}`)
  }
  if (data.client_id !== clientId) throw unavailable('its client_id is not its URL')
  // A client that authenticates must not be treated as one that cannot.
  if ((data.token_endpoint_auth_method ?? 'none') !== 'none')
    throw unavailable('token_endpoint_auth_method: only none is supported')
  if (data.grant_types && !data.grant_types.includes('authorization_code'))
    throw unavailable('grant_types: expected authorization_code')
  if (data.response_types && !data.response_types.includes('code'))
    throw unavailable('response_types: expected code')
  return { clientId, name: data.client_name, redirectUris: data.redirect_uris }
}

function maxAgeOf(headers: Headers): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(store|cache)\b/i.test(control)) return 0
  return Number(/\bmax-age=(\d{1,9})\b/i.exec(control)?.[1] ?? 0)
}

const unavailable = (problem: string) =>
  new OAuthError('invalid_client', `client_id: the metadata document cannot be used: ${problem}`)
