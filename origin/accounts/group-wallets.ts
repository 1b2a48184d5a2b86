import { type Account, type Group, type Wallet, WILDCARD } from './account.ts'

/** With the wildcard, all wallets of the account. */
export function walletsIn({ wallets }: Account, { pkpIds }: Group): Wallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}
