import { isLoopback } from '../../shared/network/loopback.ts'
import { isPublicHostName } from '../../shared/network/public-host.ts'
import { OAuthError } from './oauth-error.ts'

/** Maximum length of a client ID. URLs of metadata documents are much shorter. */
const CLIENT_ID_MAX_CHARACTERS = 256

/**
 * Validates the URL of a client's metadata document (draft-ietf-oauth-client-id-metadata-document, section 3).
 * @param allowLoopback true for a local stack, whose clients may run on the same machine
 * @throws {OAuthError} `invalid_client`
 */
export function parseClientId(
  clientId: string,
  { allowLoopback }: { allowLoopback: boolean },
): URL {
  const url = URL.parse(clientId)
  const problem =
    clientId.length > CLIENT_ID_MAX_CHARACTERS
      ? `expected at most ${CLIENT_ID_MAX_CHARACTERS} characters`
      : url?.protocol !== 'https:'
        ? 'expected the https URL of a client ID metadata document'
        : problemOf(url, clientId, allowLoopback)
  if (url && problem === undefined) return url
  throw new OAuthError('invalid_client', `client_id: ${problem}`)
}

function problemOf(url: URL, clientId: string, allowLoopback: boolean): string | undefined {
  // The document must contain the same text. `URL` removes dot segments and default ports, for example.
  if (url.href !== clientId) return 'expected a normalized URL'
  if (url.username !== '' || url.password !== '') return 'contains a user name or password'
  if (clientId.includes('#')) return 'contains a fragment'
  if (clientId.includes('?')) return 'contains a query'
  if (url.pathname === '/') return 'expected a path'
  if (allowLoopback && isLoopback(url.hostname)) return undefined
  if (url.port !== '') return 'expected the default port'
  return isPublicHostName(url.hostname) ? undefined : 'expected a public host name'
}
