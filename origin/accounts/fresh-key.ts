import { apiKeyHash, newApiKey } from './api-key.ts'
import { ContractRefused } from './writer.ts'

/** Who would squat a second fresh hash, seen in the mempool like the first, pays gas for each. */
const TRIES = 3

const TAKEN = new Set([
  'AccountAlreadyExists',
  'UsageApiKeyAlreadyExists',
  'ApiKeyHashAlreadyRevoked',
])

/**
 * Registers a fresh API key. Its hash can be seen before it is in a block, and claimed first by anyone with an account
 * of their own; such a key was never shown, and another one is made.
 * @param register writes the hash; the first try under the request's own write id
 * @throws {ContractRefused} when every try was forestalled
 */
export async function registerFreshKey<Registered>(
  writeId: string,
  register: (key: { text: string; hash: string; writeId: string }) => Promise<Registered>,
): Promise<Registered> {
  for (let tried = 1; ; tried++) {
    const text = newApiKey()
    // Made of the request's own, so that a repeat after a crash joins this try too.
    const id = tried === 1 ? writeId : `${writeId}.${tried}`
    try {
      return await register({ text, hash: apiKeyHash(text), writeId: id })
    } catch (error) {
      const taken = error instanceof ContractRefused && TAKEN.has(error.errorName)
      if (!taken || tried === TRIES) throw error
    }
  }
}
