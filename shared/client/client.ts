import { type ApiClient, createApiClient } from './api/client.ts'
import { clientParts } from './client-parts.ts'
import type { ApiOptions, SovereignOptions } from './options.ts'
import { createSovereignClient, type SovereignClient } from './sovereign/client.ts'

/**
 * Creates a client of the service. Sends nothing before the first call.
 * @throws {NotSent} for an address that keys must not be sent to, or an invalid API key
 * @throws {NoWallet} if the signer of ChainSecured mode is not a wallet
 * @throws {PolicyIncomplete} if `verify: 'required'` has no application to require
 */
export function createClient(options: SovereignOptions): SovereignClient
export function createClient(options: ApiOptions): ApiClient
export function createClient(options: ApiOptions | SovereignOptions): ApiClient | SovereignClient {
  const parts = clientParts(options)
  if (options.mode === 'sovereign') return createSovereignClient(parts, options)
  return createApiClient(parts, options.apiKey)
}
