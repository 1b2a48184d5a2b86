import { type Account, type Group, type Wallet, WILDCARD } from './account.ts'

/** Returns the wallets that a group permits. If the group has the wildcard, these are all wallets of the account. */
export function walletsIn({ wallets }: Account, { pkpIds }: Group): Wallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}
