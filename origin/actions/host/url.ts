import { type HostFunctions, hostFunction } from './host-function.ts'

/**
 * Parts of a URL, in the order in which the prelude receives them (`guest/url.js`). An action may set any part except
 * `origin`.
 */
const PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const

/** Implements URL and URLSearchParams (URL standard) with Node's classes. Stores no state between calls. */
export const urlFunctions: HostFunctions = {
  /** Parses a URL. Returns its parts as a JSON list, or '' if the input is not a valid URL. */
  parseUrl: hostFunction(['json', 'json', 'boolean'], 'text', (input, base, hasBase) => {
    if (typeof input !== 'string' || typeof base !== 'string') return ''
    const url = URL.parse(input, hasBase ? base : undefined)
    return url === null ? '' : serializeParts(url)
  }),

  /** Sets one part of a URL. Returns all parts as a JSON list, or '' if the result is not a valid URL. */
  changeUrl: hostFunction(['text', 'text', 'json'], 'text', (href, name, value) => {
    const part = PARTS.find((known) => known === name)
    if (part === undefined || part === 'origin' || typeof value !== 'string') return ''
    try {
      const url = new URL(href)
      url[part] = value
      return serializeParts(url)
    } catch {
      return ''
    }
  }),

  /** Parses a query string without its question mark. Returns a JSON list of name-value pairs. */
  parseQuery: hostFunction(['json'], 'text', (text) => {
    // Without the ampersand, URLSearchParams would remove a question mark that is the first character of a name.
    const query = typeof text === 'string' ? `&${text}` : ''
    return JSON.stringify([...new URLSearchParams(query)])
  }),

  writeQuery: hostFunction(['json'], 'text', (pairs) =>
    new URLSearchParams(isPairs(pairs) ? pairs : []).toString(),
  ),
}

function serializeParts(url: URL): string {
  return JSON.stringify(PARTS.map((part) => url[part]))
}

function isPairs(value: unknown): value is [string, string][] {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((item) => typeof item === 'string')
  return Array.isArray(value) && value.every(isPair)
}
