/** Lookups in an account. For writes, they throw the error that the contract would revert with. */
import { type Account, type Action, type Group, type UsageKey, WILDCARD } from './account.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/** Returns the group that a write refers to. @throws {ForeseenRefusal} */
export function existingGroup({ hash, groups }: Account, id: number): Group {
  const group = groups.get(id)
  if (group) return group
  throw new ForeseenRefusal('GroupDoesNotExist', [hash, id])
}

/** A read refers to a group that the account does not have. */
export class GroupNotFound extends Error {
  /** The arguments of the contract's `GroupDoesNotExist`, as text. */
  readonly args: readonly string[]

  constructor(accountHash: string, id: number) {
    super('the account has no such group')
    this.name = 'GroupNotFound'
    this.args = [accountHash, String(id)]
  }
}

/** Returns the group that a read refers to. @throws {GroupNotFound} */
export function groupToRead({ hash, groups }: Account, id: number): Group {
  const group = groups.get(id)
  if (group) return group
  throw new GroupNotFound(hash, id)
}

/** Requires each ID to be a wallet of the account or the wildcard. @throws {ForeseenRefusal} */
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
