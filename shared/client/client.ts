import { type ApiClient, createApiClient } from './api/client.ts'
import { clientParts } from './client-parts.ts'
import type { ApiOptions, SovereignOptions } from './options.ts'
import { createSovereignClient, type SovereignClient } from './sovereign/client.ts'

/**
 * A client of the service. Nothing is sent before the first call.
 * @throws {NotSent} for an address that no key may be sent to, or for what is no API key
 * @throws {NoWallet} in ChainSecured mode, for a signer that is none
 * @throws {PolicyIncomplete} where `verify: 'required'` is not told which application it is
 */
export function createClient(options: SovereignOptions): SovereignClient
export function createClient(options: ApiOptions): ApiClient
export function createClient(options: ApiOptions | SovereignOptions): ApiClient | SovereignClient {
  const parts = clientParts(options)
  if (options.mode === 'sovereign') return createSovereignClient(parts, options)
  return createApiClient(parts, options.apiKey)
}
