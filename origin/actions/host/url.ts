import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** Parts that an action may set, in the order in which all of them are handed to the prelude (`guest/url.js`). */
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

/** URL and URLSearchParams of the prelude (URL standard), by Node's own. Nothing is kept from one call to the next. */
export const urlFunctions: HostFunctions = {
  /** A JSON list of the parts; '' for what is no URL. */
  parseUrl: hostFunction(['json', 'json', 'boolean'], 'text', (input, base, hasBase) => {
    if (typeof input !== 'string' || typeof base !== 'string') return ''
    const url = URL.parse(input, hasBase ? base : undefined)
    return url === null ? '' : written(url)
  }),

  /** The same after one part was set; '' when that leaves no URL. */
  changeUrl: hostFunction(['text', 'text', 'json'], 'text', (href, name, value) => {
    const part = PARTS.find((known) => known === name)
    if (part === undefined || part === 'origin' || typeof value !== 'string') return ''
    try {
      const url = new URL(href)
      url[part] = value
      return written(url)
    } catch {
      return ''
    }
  }),

  /** A JSON list of pairs, of a query without its question mark. */
  parseQuery: hostFunction(['json'], 'text', (text) => {
    // Behind an ampersand, a question mark is one of the first name.
    const query = typeof text === 'string' ? `&${text}` : ''
    return JSON.stringify([...new URLSearchParams(query)])
  }),

  /** Of a JSON list of pairs. */
  writeQuery: hostFunction(['json'], 'text', (pairs) =>
    new URLSearchParams(isPairs(pairs) ? pairs : []).toString(),
  ),
}

function written(url: URL): string {
  return JSON.stringify(PARTS.map((part) => url[part]))
}

function isPairs(value: unknown): value is [string, string][] {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((item) => typeof item === 'string')
  return Array.isArray(value) && value.every(isPair)
}
