/**
 * Lookups of an account's groups, wallets, actions and usage keys. Unless noted otherwise, they validate a write, and
 * throw the error with which the contract would revert.
 */
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import type { Account, AccountAction, AccountGroup, AccountUsageKey } from './account.ts'
import { PredictedRevertError } from './predicted-revert.ts'

/** @throws {PredictedRevertError} if the account does not have the group */
export function requireGroup({ hash, groups }: Account, id: number): AccountGroup {
  return entryOrRevert(groups.get(id), 'GroupDoesNotExist', hash, id)
}

export class GroupNotFoundError extends Error {
  override readonly name = 'GroupNotFoundError'
  /** Arguments of the contract's `GroupDoesNotExist` error: the account hash and the group ID. */
  readonly args: readonly string[]

  constructor(accountHash: string, id: number) {
    super('the account has no such group')
    this.args = [accountHash, String(id)]
  }
}

/** @throws {GroupNotFoundError} if the account does not have the group */
export function requireReadableGroup({ hash, groups }: Account, id: number): AccountGroup {
  const group = groups.get(id)
  if (group) return group
  throw new GroupNotFoundError(hash, id)
}

/** Thrown if the account has no wallet with this ID, or no key of the account has the wallet's address. */
export class WalletNotFoundError extends Error {
  override readonly name = 'WalletNotFoundError'
  /** Arguments of the contract's `WalletDoesNotExist` error: the account hash and the wallet's ID. */
  readonly args: readonly string[]

  constructor(accountHash: string, pkpId: string) {
    super('the account has no such wallet')
    this.args = [accountHash, pkpId]
  }
}

/**
 * The wildcard is always accepted.
 * @throws {PredictedRevertError} if a wallet does not exist
 */
export function requireWallets({ hash, wallets }: Account, pkpIds: readonly string[]): void {
  const unknown = pkpIds.find((id) => id !== WILDCARD && !wallets.has(id))
  if (unknown !== undefined) throw new PredictedRevertError('WalletDoesNotExist', [hash, unknown])
}

/** @throws {PredictedRevertError} if the account does not have the action */
export function requireAction({ hash, actions }: Account, cidHash: string): AccountAction {
  return entryOrRevert(actions.get(cidHash), 'ActionDoesNotExist', hash, cidHash)
}

/** @throws {PredictedRevertError} if the account does not have the key */
export function requireUsageKey({ hash, usageKeys }: Account, keyHash: string): AccountUsageKey {
  return entryOrRevert(usageKeys.get(keyHash), 'UsageApiKeyDoesNotExist', hash, keyHash)
}

function entryOrRevert<Entry>(
  entry: Entry | undefined,
  errorName: string,
  ...args: [accountHash: string, id: string | number]
): Entry {
  if (entry !== undefined) return entry
  throw new PredictedRevertError(errorName, args)
}
