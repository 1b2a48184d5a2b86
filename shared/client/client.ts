import { type ApiClient, createApiClient } from './api/client.ts'
import { clientParts } from './client-parts.ts'
import type { ApiOptions, SovereignOptions } from './options.ts'
import { createSovereignClient, type SovereignClient } from './sovereign/client.ts'

/**
 * Creates a client, which sends no request before the first call.
 * @throws {NotSent} for a URL to which keys must not be sent, or an invalid API key
 * @throws {NoWallet} if the signer for ChainSecured mode is not a wallet
 * @throws {PolicyIncomplete} if the policy for `verify: 'required'` does not name an application or the accepted
 * machines
 */
export function createClient(options: SovereignOptions): SovereignClient
export function createClient(options: ApiOptions): ApiClient
export function createClient(options: ApiOptions | SovereignOptions): ApiClient | SovereignClient {
  const parts = clientParts(options)
  if (options.mode === 'sovereign') return createSovereignClient(parts, options)
  return createApiClient(parts, options.apiKey)
}
