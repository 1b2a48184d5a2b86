/** Validates the path to open after sign-in. An open redirect on the sign-in page would help phishers. */

/**
 * Maximum length of the path. All of our paths are shorter. Limits the data that an anonymous form can cause us to
 * store.
 */
const NEXT_MAX_CHARACTERS = 1024

/** Arbitrary base URL for parsing. If the result has another host, the text is not a path on our site. */
const BASE = 'https://this-site.invalid'

/**
 * Returns the path, or `/` if the path is unsafe. Unsafe are absolute URLs, `//host`, `/\host` (browsers treat a
 * backslash as a slash), control characters and whitespace (browsers drop tabs and newlines before parsing), and paths
 * such as `/.//host`, which normalize to `//host`.
 */
export function safeNext(text: string | undefined): string {
  if (text === undefined || text.length > NEXT_MAX_CHARACTERS) return '/'
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/'
  const url = URL.parse(text, BASE)
  if (url?.origin !== BASE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search + url.hash
}
