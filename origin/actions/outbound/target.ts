import { isIP } from 'node:net'
import { OUTBOUND_URL_MAX_CHARACTERS } from '../../../shared/limits.ts'
import { urlHost, urlPort } from './host-port.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Ports that are blocked (Fetch standard, Port blocking). They belong to other protocols, and servers of these
 * protocols could interpret the text of a request as commands.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])

/**
 * Destination of a request in canonical form. `named` is the name used in error messages: the host, followed by the
 * port unless it is the default port.
 */
export type Target = { url: URL; host: string; port: number; named: string }

/**
 * Parses the URL of a request, or of a redirect from `base`. The URL parser normalizes all other notations of an IP
 * address: decimal, octal, hexadecimal, short, percent-encoded and full-width.
 * @throws {OutboundError} if actions may not request the URL, regardless of what its host resolves to
 */
export function readTarget(text: string, base?: URL): Target {
  if (text.length > OUTBOUND_URL_MAX_CHARACTERS) throw tooLong()
  const url = URL.parse(text, base?.href)
  if (url === null) throw new OutboundError('invalid URL: expected an absolute http or https URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError(
      `only http and https URLs can be fetched, not ${url.protocol.slice(0, 32)}`,
    )
  if (url.username !== '' || url.password !== '')
    throw new OutboundError(
      'the URL contains credentials, which end up in logs; send them in a header, such as authorization',
    )
  if (url.href.length > OUTBOUND_URL_MAX_CHARACTERS) throw tooLong()
  const port = urlPort(url)
  if (BAD_PORTS.has(port))
    throw new OutboundError(
      `port ${port} is blocked because it belongs to another protocol, as in browsers`,
    )
  const host = urlHost(url)
  // Remove a trailing dot from the host name, because TLS and certificates do not use it.
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

/** True if a name has a meaning only within a local network. Public name servers should not resolve such names. */
export function isLocalName(host: string): boolean {
  if (isIP(host) !== 0) return false
  if (!host.includes('.')) return true
  return LOCAL_NAMES.some((suffix) => host.endsWith(`.${suffix}`))
}

function tooLong(): OutboundError {
  return new OutboundError(`the URL is longer than ${OUTBOUND_URL_MAX_CHARACTERS} characters`)
}
