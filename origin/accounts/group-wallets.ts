import { type Account, type Group, type Wallet, WILDCARD } from './account.ts'

/** The wallets that a group permits: where it permits every wallet, all of the account. */
export function walletsIn({ wallets }: Account, { pkpIds }: Group): Wallet[] {
  if (pkpIds.has(WILDCARD)) return [...wallets.values()]
  return [...pkpIds].flatMap((id) => wallets.get(id) ?? [])
}
