import type { AccountsState, Principal } from './state.ts'
import { principalOfWallet } from './admin-wallet.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/**
 * Resolves the principal again immediately before acting. Time can pass between authentication and the action (a slow
 * body, waiting for credit, a run); a key revoked in between must be rejected, and reduced permissions must apply.
 * @throws {ForeseenRefusal} if the key was revoked since (401)
 * @throws {NotTheAdmin} if the wallet has transferred the account since (401)
 */
export function asOfNow({ keyHash, wallet }: Principal, accounts: AccountsState): Principal {
  if (wallet !== undefined) return principalOfWallet(wallet, accounts)
  const principal = accounts.principal(keyHash)
  if (!principal) throw new ForeseenRefusal('ApiKeyRevoked', [keyHash])
  return principal
}
