import { type ApiClient, createApiClient } from './api/client.ts'
import { clientParts } from './client-parts.ts'
import type { ApiOptions } from './options.ts'

/**
 * A client of the service. Nothing is sent before the first call.
 * @throws {NotSent} for an address that no key may be sent to, or for what is no API key
 * @throws {PolicyIncomplete} where `verify: 'required'` is not told which application it is
 */
export function createClient(options: ApiOptions): ApiClient {
  return createApiClient(clientParts(options), options.apiKey)
}
