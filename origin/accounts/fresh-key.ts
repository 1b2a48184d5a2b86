import { randomBytes } from 'node:crypto'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { ContractRevertError } from './writer.ts'

/** The key is shown to the user once, and only its hash is stored. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** A few are enough, because an attacker who front-runs the hashes of new keys pays gas for each attempt. */
const ATTEMPTS_MAX = 3

const HASH_TAKEN_ERRORS = new Set([
  'AccountAlreadyExists',
  'UsageApiKeyAlreadyExists',
  'ApiKeyHashAlreadyRevoked',
])

/**
 * Registers a new API key. The key's hash is visible in the mempool, so another account may register the same hash
 * first. In that case, the registration is retried with another key, because the first key was never shown to the user.
 * @param writeId write ID of the first attempt; later attempts append their number
 * @param register writes the hash to the contract
 */
export async function registerFreshKey<Registered>(
  writeId: string,
  register: (key: { text: string; hash: string; writeId: string }) => Promise<Registered>,
): Promise<Registered> {
  for (let tried = 1; ; tried++) {
    const text = newApiKey()
    // The write ID is deterministic, so a request that is repeated after a crash waits for the same attempt.
    const id = tried === 1 ? writeId : `${writeId}.${tried}`
    try {
      return await register({ text, hash: apiKeyHash(text), writeId: id })
    } catch (error) {
      const taken = error instanceof ContractRevertError && HASH_TAKEN_ERRORS.has(error.errorName)
      if (!taken || tried === ATTEMPTS_MAX) throw error
    }
  }
}
