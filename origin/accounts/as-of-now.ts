import type { AccountsState, Principal } from './state.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/**
 * Who a key is now. A request may take its time between its head and its act: a body that comes slowly, credit that
 * is waited for, a run. What was revoked meanwhile must not act, and what was narrowed acts in its new bounds.
 * @throws {ForeseenRefusal} for a key that was revoked since (401)
 */
export function asOfNow({ keyHash }: Principal, accounts: AccountsState): Principal {
  const principal = accounts.principal(keyHash)
  if (!principal) throw new ForeseenRefusal('ApiKeyRevoked', [keyHash])
  return principal
}
