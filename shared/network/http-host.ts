const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Validates a Host header (RFC 9110, 7.2). Servers build URLs from it, so it must not contain anything that a URL
 * parser would read as a path, query, fragment or user name. Two Host headers joined by a comma are invalid.
 *
 * @example isHost('localhost:8788') // true
 * @example isHost('localhost/health?') // false
 */
export function isHost(value: string): boolean {
  return HOST.test(value)
}
