/** For writes, the lookups throw the same error with which the contract would revert. */
import {
  type Account,
  type AccountAction,
  type AccountGroup,
  type AccountUsageKey,
  WILDCARD,
} from './account.ts'
import { PredictedRevertError } from './predicted-revert.ts'

/**
 * For writes.
 * @throws {PredictedRevertError} if the account does not have the group
 */
export function requireGroup({ hash, groups }: Account, id: number): AccountGroup {
  const group = groups.get(id)
  if (group) return group
  throw new PredictedRevertError('GroupDoesNotExist', [hash, id])
}

export class GroupNotFoundError extends Error {
  /** As in the contract's `GroupDoesNotExist` error. */
  readonly args: readonly string[]

  constructor(accountHash: string, id: number) {
    super('the account has no such group')
    this.name = 'GroupNotFoundError'
    this.args = [accountHash, String(id)]
  }
}

/** @throws {GroupNotFoundError} if the account does not have the group */
export function requireReadableGroup({ hash, groups }: Account, id: number): AccountGroup {
  const group = groups.get(id)
  if (group) return group
  throw new GroupNotFoundError(hash, id)
}

/**
 * The wildcard is accepted.
 * @throws {PredictedRevertError} if a wallet does not exist
 */
export function requireWallets({ hash, wallets }: Account, pkpIds: readonly string[]): void {
  const unknown = pkpIds.find((id) => id !== WILDCARD && !wallets.has(id))
  if (unknown !== undefined) throw new PredictedRevertError('WalletDoesNotExist', [hash, unknown])
}

/**
 * For writes.
 * @throws {PredictedRevertError} if the account does not have the action
 */
export function requireAction({ hash, actions }: Account, cidHash: string): AccountAction {
  const action = actions.get(cidHash)
  if (action) return action
  throw new PredictedRevertError('ActionDoesNotExist', [hash, cidHash])
}

/**
 * For writes.
 * @throws {PredictedRevertError} if the account does not have the key
 */
export function requireUsageKey({ hash, usageKeys }: Account, keyHash: string): AccountUsageKey {
  const key = usageKeys.get(keyHash)
  if (key) return key
  throw new PredictedRevertError('UsageApiKeyDoesNotExist', [hash, keyHash])
}
