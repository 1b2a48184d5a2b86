import type { Principal } from './account.ts'
import type { AccountsState } from './state.ts'
import { principalOfWallet } from './admin-wallet.ts'
import { PredictedRevertError } from './predicted-revert.ts'
import type { UsageKeyLimits } from '../usage-keys/usage-key-limits.ts'

/**
 * Resolves a principal again immediately before execution. During a slow request body, a wait for credit, or a run, the
 * key may have been revoked or its permissions reduced. Such a change must take effect.
 * @throws {PredictedRevertError} if the key has been revoked (401)
 * @throws {KeyExpiredError} if the usage key has expired (401)
 * @throws {NotAdminError} if the wallet has transferred the account (401)
 */
export function refreshPrincipal(
  { keyHash, wallet }: Principal,
  accounts: AccountsState,
  keyLimits: Pick<UsageKeyLimits, 'requireUnexpired'>,
): Principal {
  if (wallet !== undefined) return principalOfWallet(wallet, accounts)
  const principal = accounts.principal(keyHash)
  if (!principal) throw new PredictedRevertError('ApiKeyRevoked', [keyHash])
  keyLimits.requireUnexpired(principal)
  return principal
}
