/** What an account has, or the refusal that the contract would answer. */
import { type Account, type Action, type Group, type UsageKey, WILDCARD } from './account.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/** @throws {ForeseenRefusal} */
export function existingGroup({ hash, groups }: Account, id: number): Group {
  const group = groups.get(id)
  if (group) return group
  throw new ForeseenRefusal('GroupDoesNotExist', [hash, id])
}

/** Each is a wallet of the account, or the wildcard. @throws {ForeseenRefusal} */
export function requireWallets({ hash, wallets }: Account, pkpIds: readonly string[]): void {
  const unknown = pkpIds.find((id) => id !== WILDCARD && !wallets.has(id))
  if (unknown !== undefined) throw new ForeseenRefusal('WalletDoesNotExist', [hash, unknown])
}

/** @throws {ForeseenRefusal} */
export function existingAction({ hash, actions }: Account, cidHash: string): Action {
  const action = actions.get(cidHash)
  if (action) return action
  throw new ForeseenRefusal('ActionDoesNotExist', [hash, cidHash])
}

/** @throws {ForeseenRefusal} */
export function existingUsageKey({ hash, usageKeys }: Account, keyHash: string): UsageKey {
  const key = usageKeys.get(keyHash)
  if (key) return key
  throw new ForeseenRefusal('UsageApiKeyDoesNotExist', [hash, keyHash])
}
