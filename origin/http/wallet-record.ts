import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import type { walletResponse } from '../../shared/wire/wallets.ts'
import type { AccountWallet } from '../accounts/account.ts'
import { policyAt } from '../accounts/wallet-policy.ts'

/**
 * Computing the checksums of 10,000 wallets takes 0.2 s, and clients can list wallets free of charge, so the results
 * are cached.
 */
const addresses = new WeakMap<AccountWallet, string>()

/** @param chainTime Unix seconds by the chain's clock */
export function toWalletRecord(
  wallet: AccountWallet,
  chainTime: number,
): z.infer<typeof walletResponse> {
  let address = addresses.get(wallet)
  if (address === undefined) addresses.set(wallet, (address = addressOfPkp(wallet.pkpId)))
  return {
    wallet_address: address,
    pkp_id: wallet.pkpId,
    name: wallet.name,
    description: wallet.description,
    derivation_path: wallet.derivationPath,
    ...(wallet.policy && { policy_hash: policyAt(wallet.policy, chainTime).hash }),
  }
}
