import type { Account } from '../accounts/account.ts'
import { policyAt, type WalletPolicy } from '../accounts/wallet-policy.ts'
import { PredictedRevertError } from '../accounts/predicted-revert.ts'

/** Name and arguments of the error with which the contract would reject a change. */
type MissingPolicy = {
  errorName: 'WalletDoesNotExist' | 'WalletHasNoPolicy'
  args: [accountHash: string, pkpId: string]
}

/** Thrown by operations that only read. Operations that write throw the revert that the contract would cause. */
export class PolicyNotFoundError extends Error {
  override readonly name = 'PolicyNotFoundError'
  readonly missing: MissingPolicy

  constructor(missing: MissingPolicy) {
    super('the account has no such wallet with a policy')
    this.missing = missing
  }
}

/**
 * Returns the policy that holds for a wallet of the account.
 * @param chainTime Unix seconds by the chain's clock
 * @throws {PolicyNotFoundError}
 */
export function readHeldPolicy(account: Account, pkpId: string, chainTime: number): WalletPolicy {
  const found = heldPolicy(account, pkpId, chainTime)
  if ('hash' in found) return found
  throw new PolicyNotFoundError(found)
}

/**
 * Returns the policy that a change would replace.
 * @param replaces hash of the policy that must hold, if the caller named one
 * @throws {PredictedRevertError} if the contract would reject the change
 */
export function requireChangeablePolicy(
  account: Account,
  { pkpId, replaces }: { pkpId: string; replaces: string | undefined },
  chainTime: number,
): WalletPolicy {
  const found = heldPolicy(account, pkpId, chainTime)
  if (!('hash' in found)) throw new PredictedRevertError(found.errorName, found.args)
  if (found.isImmutable) throw new PredictedRevertError('PolicyIsImmutable', [account.hash, pkpId])
  if (replaces !== undefined && replaces !== found.hash)
    throw new PredictedRevertError('PolicyChanged', [account.hash, pkpId, found.hash])
  return found
}

function heldPolicy(
  { hash, wallets }: Account,
  pkpId: string,
  chainTime: number,
): WalletPolicy | MissingPolicy {
  const wallet = wallets.get(pkpId)
  if (!wallet) return { errorName: 'WalletDoesNotExist', args: [hash, pkpId] }
  if (!wallet.policy) return { errorName: 'WalletHasNoPolicy', args: [hash, pkpId] }
  return policyAt(wallet.policy, chainTime)
}
