import { createRequire } from 'node:module'
import type { Client as ClientType } from 'undici'

let loaded: typeof ClientType | undefined

/**
 * undici's HTTP/1.1 connection, loaded with the first request of a process: an executor that never fetches does not
 * pay for it. By its path, since the package's index takes three times as long and twice the memory (fetch, mocks,
 * caches, WebSocket); undici is pinned, and a test holds that the path is there.
 */
export function loadClient(): typeof ClientType {
  loaded ??= createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof ClientType
  return loaded
}
