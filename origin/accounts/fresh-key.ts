import { randomBytes } from 'node:crypto'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { ContractRevertError } from './writer.ts'

/** 32 random bytes in base64 (44 characters). Shown to the user once; only the hash is stored. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** An attacker who front-runs the hashes of new keys pays gas for each attempt. */
const ATTEMPTS_MAX = 3

const HASH_TAKEN_ERRORS = new Set([
  'AccountAlreadyExists',
  'UsageApiKeyAlreadyExists',
  'ApiKeyHashAlreadyRevoked',
])

/**
 * Registers a new API key. Its hash is visible in the mempool, so another account may register it first. Another key
 * can then be used, because the first one was never shown to the user.
 * @param register writes the hash to the contract; the first attempt uses the request's own write ID
 * @throws {ContractRevertError} if all attempts were front-run
 */
export async function registerFreshKey<Registered>(
  writeId: string,
  register: (key: { text: string; hash: string; writeId: string }) => Promise<Registered>,
): Promise<Registered> {
  for (let tried = 1; ; tried++) {
    const text = newApiKey()
    // A request that is repeated after a crash thus joins this attempt as well.
    const id = tried === 1 ? writeId : `${writeId}.${tried}`
    try {
      return await register({ text, hash: apiKeyHash(text), writeId: id })
    } catch (error) {
      const taken = error instanceof ContractRevertError && HASH_TAKEN_ERRORS.has(error.errorName)
      if (!taken || tried === ATTEMPTS_MAX) throw error
    }
  }
}
