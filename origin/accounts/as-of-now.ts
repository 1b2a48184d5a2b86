import type { AccountsState, Principal } from './state.ts'
import { principalOfWallet } from './admin-wallet.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/**
 * Who a key or an admin wallet is now. A request may take its time between its head and its act: a body that comes slowly, credit that
 * is waited for, a run. What was revoked meanwhile must not act, and what was narrowed acts in its new bounds.
 * @throws {ForeseenRefusal} for a key that was revoked since (401)
 * @throws {NotTheAdmin} for a wallet that has handed the account on since (401)
 */
export function asOfNow({ keyHash, wallet }: Principal, accounts: AccountsState): Principal {
  if (wallet !== undefined) return principalOfWallet(wallet, accounts)
  const principal = accounts.principal(keyHash)
  if (!principal) throw new ForeseenRefusal('ApiKeyRevoked', [keyHash])
  return principal
}
