/** Validates the destination after sign-in. An open redirect on a login page would help phishers. */

/** Longer than all of our paths. Limits the data that an anonymous form can cause us to store. */
const NEXT_MAX_CHARACTERS = 1024

/** Arbitrary base URL for parsing, used to detect a text that names another host. */
const BASE = 'https://this-site.invalid'

/**
 * Returns `/` for an unsafe path. Unsafe are absolute URLs, `//host`, `/\host` (browsers treat a backslash as a slash),
 * control characters and whitespace (browsers drop tabs and newlines before parsing), and paths such as `/.//host`,
 * which normalize to `//host`.
 */
export function safeNext(text: string | undefined): string {
  if (text === undefined || text.length > NEXT_MAX_CHARACTERS) return '/'
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/'
  const url = URL.parse(text, BASE)
  if (url?.origin !== BASE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search + url.hash
}
