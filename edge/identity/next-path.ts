/** The destination after sign-in: a path on this site, or `/`. An open redirect on a login page would help phishers. */

/** Longer than all of our paths. Bounds what an anonymous form can make us store. */
const NEXT_MAX_CHARACTERS = 1024

/** An arbitrary base. Only the path is used, and a text that names another host is detected. */
const BASE = 'https://this-site.invalid'

/**
 * Returns the normalized path, or `/` if it is unsafe: absolute URLs, `//host`, `/\host` (browsers treat a backslash as
 * a slash), control characters and whitespace (browsers drop tabs and newlines before parsing), and paths such as
 * `/.//host`, which normalize to `//host`.
 */
export function safeNext(text: string | undefined): string {
  if (text === undefined || text.length > NEXT_MAX_CHARACTERS) return '/'
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/'
  if (!URL.canParse(text, BASE)) return '/'
  const url = new URL(text, BASE)
  if (url.origin !== BASE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search + url.hash
}
