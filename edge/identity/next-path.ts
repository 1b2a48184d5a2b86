/** Where sign-in goes on to: a path of this site, or `/`. A login page that forwards anywhere lends its name to phishers. */

/** Longer than any path of ours; a bound on what an anonymous form may have us store. */
const NEXT_MAX_CHARACTERS = 1024

/** Any base does: only the path is used, and a text that names another host is found out. */
const BASE = 'https://this-site.invalid'

/**
 * The path in normal form. Refused, and replaced by `/`: absolute URLs, `//host`, `/\host` (browsers read a
 * backslash as a slash), control characters and blanks (browsers drop tabs and newlines before they parse),
 * and paths such as `/.//host` that become `//host` once normalised.
 */
export function safeNext(text: string | undefined): string {
  if (text === undefined || text.length > NEXT_MAX_CHARACTERS) return '/'
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/'
  if (!URL.canParse(text, BASE)) return '/'
  const url = new URL(text, BASE)
  if (url.origin !== BASE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search + url.hash
}
