import { createRequire } from 'node:module'
import type { Client as ClientType } from 'undici'

let loaded: typeof ClientType | undefined

/**
 * Loads undici's HTTP/1.1 connection on the first request of a process, so that an executor that never fetches does not
 * pay for it. Loads it by its path, because the package's index takes three times as long and twice the memory (fetch,
 * mocks, caches, WebSocket). undici is pinned, and a test checks that the path exists.
 */
export function loadClient(): typeof ClientType {
  loaded ??= createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof ClientType
  return loaded
}
