import { isLoopback } from '../loopback.ts'
import { NotSent } from './failures/on-the-way.ts'

/**
 * Validates a URL and returns its scheme, host and port. Keys require TLS, except on loopback.
 * @param name of the option, for the message
 * @throws {NotSent} `insecure_url`, `bad_url`
 */
export function hostOf(name: 'baseUrl' | 'triggersUrl', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new NotSent(
      'bad_url',
      `${name}: expected a URL`,
      'Give it as https://host, without a path.',
    )
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname !== '/'
  )
    throw new NotSent(
      'bad_url',
      `${name}: expected scheme, host and port alone`,
      'Leave out the path, the query and any password: the client knows the paths.',
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new NotSent(
      'insecure_url',
      `${name}: http to ${url.hostname} would show the key to everybody on the way`,
      'Use https; http is taken for localhost alone.',
    )
  return url.origin
}
