/**
 * Rules for URLs of alert webhooks. Only public host names are accepted, because the service must not send requests to
 * addresses inside a network (SSRF). On Workers, a name cannot resolve to such an address.
 */
import { isLoopback } from '../../shared/network/loopback.ts'
import { isPublicHostName } from '../../shared/network/public-host.ts'

export type UrlPolicy = {
  /** True for a local stack, whose receivers run on the same machine. */
  allowLoopback: boolean
  publicUrl: string
}

export type UrlProblem = { problem: string; fix: string }

/** Returns `undefined` for a URL to which alerts may be sent. */
export function channelUrlProblem(
  text: string,
  { allowLoopback, publicUrl }: UrlPolicy,
): UrlProblem | undefined {
  const url = URL.parse(text)
  if (!url) return { problem: 'expected a URL', fix: 'Send an absolute https URL.' }
  const { hostname, protocol } = url
  if (url.username !== '' || url.password !== '')
    return {
      problem: 'contains a user name or password',
      fix: 'Remove it, and verify the signature of the webhook instead.',
    }
  if (hostname === new URL(publicUrl).hostname)
    return {
      problem: 'is a URL of this service',
      fix: 'Add a channel of the type trigger to fire one of your triggers.',
    }
  if (protocol !== 'https:') return { problem: 'expected https', fix: 'Use an https URL.' }
  if (allowLoopback && isLoopback(hostname)) return undefined
  if (!isPublicHostName(hostname))
    return {
      problem: 'expected a public host name',
      fix: 'Use the name of a host that is reachable from the internet, not an IP address.',
    }
  return undefined
}
