import { isLoopback } from '../network/loopback.ts'
import { NotSent } from './failures/transport-errors.ts'

/**
 * Returns the scheme, host and port of a URL. The URL must use TLS, except on loopback, because keys are sent to its
 * host.
 * @param name name of the option, for error messages
 * @throws {NotSent} `insecure_url`, `bad_url`
 */
export function parseBaseUrl(name: 'baseUrl' | 'triggersUrl', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new NotSent('bad_url', `${name}: expected a URL`, 'Use https://host, without a path.')
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname !== '/'
  )
    throw new NotSent(
      'bad_url',
      `${name}: expected only scheme, host and port`,
      'Remove the path, the query and any password: the client adds the paths.',
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new NotSent(
      'insecure_url',
      `${name}: http to ${url.hostname} would expose the key to the network`,
      'Use https; http is accepted only for localhost.',
    )
  return url.origin
}
