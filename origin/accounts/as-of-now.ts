import type { AccountsState, Principal } from './state.ts'
import { principalOfWallet } from './admin-wallet.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/**
 * Resolves a principal again immediately before execution. During a slow body, a wait for credit, or a run, the key may
 * have been revoked or its permissions reduced, which must take effect.
 * @throws {ForeseenRefusal} if the key has been revoked (401)
 * @throws {NotTheAdmin} if the wallet has transferred the account (401)
 */
export function asOfNow({ keyHash, wallet }: Principal, accounts: AccountsState): Principal {
  if (wallet !== undefined) return principalOfWallet(wallet, accounts)
  const principal = accounts.principal(keyHash)
  if (!principal) throw new ForeseenRefusal('ApiKeyRevoked', [keyHash])
  return principal
}
