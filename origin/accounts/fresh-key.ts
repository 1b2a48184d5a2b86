import { apiKeyHash, newApiKey } from './api-key.ts'
import { ContractRefused } from './writer.ts'

/** Maximum attempts. An attacker who front-runs fresh hashes pays gas for each one. */
const TRIES = 3

const TAKEN = new Set([
  'AccountAlreadyExists',
  'UsageApiKeyAlreadyExists',
  'ApiKeyHashAlreadyRevoked',
])

/**
 * Registers a fresh API key. Its hash is visible in the mempool, so another account can claim it first. Because that
 * key was never shown, another one is generated.
 * @param register writes the hash; the first attempt uses the request's own write ID
 * @throws {ContractRefused} if every attempt was front-run
 */
export async function registerFreshKey<Registered>(
  writeId: string,
  register: (key: { text: string; hash: string; writeId: string }) => Promise<Registered>,
): Promise<Registered> {
  for (let tried = 1; ; tried++) {
    const text = newApiKey()
    // Derived from the request's write ID, so that a repeat after a crash joins this attempt too.
    const id = tried === 1 ? writeId : `${writeId}.${tried}`
    try {
      return await register({ text, hash: apiKeyHash(text), writeId: id })
    } catch (error) {
      const taken = error instanceof ContractRefused && TAKEN.has(error.errorName)
      if (!taken || tried === TRIES) throw error
    }
  }
}
