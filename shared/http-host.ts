/** A name or an IPv6 address in brackets, and a port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Returns whether the value of a Host header is a host (RFC 9110, 7.2), and nothing that a URL would read as a path, a
 * query, a fragment or a user: servers put it in front of the path when they make the URL of a request. Two Host
 * headers, joined by a comma, are none.
 *
 * @example isHost('localhost:8788') // true
 * @example isHost('localhost/health?') // false
 */
export function isHost(value: string): boolean {
  return HOST.test(value)
}
