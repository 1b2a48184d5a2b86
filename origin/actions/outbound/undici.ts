import { createRequire } from 'node:module'
import type { Client as ClientType } from 'undici'

let loaded: typeof ClientType | undefined

/**
 * Loads undici's HTTP/1.1 client on the first request, so that executors that never fetch do not load it. The package's
 * index is not used: it also loads fetch, mocks, caches and WebSocket, which takes three times as long and twice the
 * memory. The undici version is pinned, and a test checks that the path exists.
 */
export function loadUndiciClient(): typeof ClientType {
  loaded ??= createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof ClientType
  return loaded
}
