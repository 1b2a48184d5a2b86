import type { AccountWallet } from '../accounts/account.ts'
import { policyAt, type WalletPolicy } from '../accounts/wallet-policy.ts'
import { type Keyring, NO_LOCK } from '../keys/keyring.ts'

/** A wallet whose key is derived for policies, with the policy that holds. */
export type PolicyWallet = {
  accountHash: string
  derivationPath: string
  lock: string
  pkpId: string
  /** EIP-55 address. */
  address: string
  policy: WalletPolicy
}

/**
 * Returns undefined unless the wallet's address is that of the key that is derived for policies from the account and
 * the path. A wallet that was created with an immutable policy therefore has no key under any other policy.
 * @param chainTime Unix seconds by the chain's clock
 */
export function policyWalletOf(
  keyring: Keyring,
  accountHash: string,
  { pkpId, derivationPath, policy: recorded }: AccountWallet,
  chainTime: number,
): PolicyWallet | undefined {
  if (!recorded) return undefined
  const policy = policyAt(recorded, chainTime)
  for (const lock of policy.isImmutable ? [NO_LOCK, policy.hash] : [NO_LOCK]) {
    const { address } = keyring.policyWalletPublicKey(accountHash, derivationPath, lock)
    if (`0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}` === pkpId)
      return { accountHash, derivationPath, lock, pkpId, address, policy }
  }
  return undefined
}
