import { type Account, type AccountGroup, type AccountWallet, WILDCARD } from './account.ts'

/** With the wildcard, all wallets of the account. */
export function groupWallets({ wallets }: Account, { pkpIds }: AccountGroup): AccountWallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}
