import { isIP } from 'node:net'
import { OUTBOUND_URL_MAX_CHARACTERS } from '../../../shared/limits.ts'
import { BAD_PORTS } from './bad-ports.ts'
import { hostOf, portOf } from './host-port.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Destination of a request, in canonical spelling. `named` is the host, and the port unless it is the default, for
 * messages.
 */
export type Target = { url: URL; host: string; port: number; named: string }

/**
 * Reads the URL of a request, or of a redirect from `base`. The URL standard's parser has already normalized all other
 * spellings of an address: decimal, octal, hexadecimal, short, percent-encoded, full-width.
 * @throws {OutboundError} for a URL that no action may request, whatever its host resolves to
 */
export function readTarget(text: string, base?: URL): Target {
  if (text.length > OUTBOUND_URL_MAX_CHARACTERS) throw tooLong()
  const url = URL.parse(text, base?.href)
  if (url === null)
    throw new OutboundError('the URL is not valid: it must be an absolute http or https URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError(
      `only http and https URLs can be fetched, not ${url.protocol.slice(0, 32)}`,
    )
  if (url.username !== '' || url.password !== '')
    throw new OutboundError(
      'the URL holds credentials, which end up in logs: put them into a header, as authorization',
    )
  if (url.href.length > OUTBOUND_URL_MAX_CHARACTERS) throw tooLong()
  const port = portOf(url)
  if (BAD_PORTS.has(port))
    throw new OutboundError(
      `port ${port} belongs to another protocol and is blocked, as in browsers`,
    )
  const host = hostOf(url)
  // TLS and certificates do not use the trailing dot of the root.
  if (isIP(host) === 0) url.hostname = host
  return { url, host, port, named: url.host }
}

const LOCAL_NAMES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
]

/** True for a name that has a different meaning in each network. No public name server should resolve it. */
export function isLocalName(host: string): boolean {
  if (isIP(host) !== 0) return false
  if (!host.includes('.')) return true
  return LOCAL_NAMES.some((suffix) => host.endsWith(`.${suffix}`))
}

function tooLong(): OutboundError {
  return new OutboundError(`the URL is longer than ${OUTBOUND_URL_MAX_CHARACTERS} characters`)
}
