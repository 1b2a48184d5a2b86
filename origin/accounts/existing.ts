/** For writes, the lookups throw the same error with which the contract would revert. */
import { type Account, type Action, type Group, type UsageKey, WILDCARD } from './account.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

/**
 * For writes.
 * @throws {ForeseenRefusal} if the account does not have the group
 */
export function existingGroup({ hash, groups }: Account, id: number): Group {
  const group = groups.get(id)
  if (group) return group
  throw new ForeseenRefusal('GroupDoesNotExist', [hash, id])
}

export class GroupNotFound extends Error {
  /** As in the contract's `GroupDoesNotExist` error. */
  readonly args: readonly string[]

  constructor(accountHash: string, id: number) {
    super('the account has no such group')
    this.name = 'GroupNotFound'
    this.args = [accountHash, String(id)]
  }
}

/** @throws {GroupNotFound} if the account does not have the group */
export function groupToRead({ hash, groups }: Account, id: number): Group {
  const group = groups.get(id)
  if (group) return group
  throw new GroupNotFound(hash, id)
}

/**
 * The wildcard is accepted.
 * @throws {ForeseenRefusal} if a wallet does not exist
 */
export function requireWallets({ hash, wallets }: Account, pkpIds: readonly string[]): void {
  const unknown = pkpIds.find((id) => id !== WILDCARD && !wallets.has(id))
  if (unknown !== undefined) throw new ForeseenRefusal('WalletDoesNotExist', [hash, unknown])
}

/**
 * For writes.
 * @throws {ForeseenRefusal} if the account does not have the action
 */
export function existingAction({ hash, actions }: Account, cidHash: string): Action {
  const action = actions.get(cidHash)
  if (action) return action
  throw new ForeseenRefusal('ActionDoesNotExist', [hash, cidHash])
}

/**
 * For writes.
 * @throws {ForeseenRefusal} if the account does not have the key
 */
export function existingUsageKey({ hash, usageKeys }: Account, keyHash: string): UsageKey {
  const key = usageKeys.get(keyHash)
  if (key) return key
  throw new ForeseenRefusal('UsageApiKeyDoesNotExist', [hash, keyHash])
}
