/** An account as its admin wallet asks for it (specification, Authentication 6 and 7). */
import { accountHashOfWallet } from '../../shared/typed-data.ts'
import type { AccountsState, Principal } from './state.ts'

/** The wallet is the admin of no ChainSecured account now. */
export class NotTheAdmin extends Error {
  readonly wallet: string
  /** Where it was an admin once: who is now. */
  readonly heir: string | undefined

  constructor(wallet: string, heir?: string) {
    super('the wallet is the admin of no account')
    this.name = 'NotTheAdmin'
    this.wallet = wallet
    this.heir = heir
  }
}

/**
 * The account whose admin a wallet is. Its hash finds the account, and the admin that the chain names decides: hashes
 * of former admins stay, and anybody may register a hash as that of a usage key.
 * @param wallet EIP-55; whether its holder asks is not looked at here
 * @throws {NotTheAdmin}
 */
export function principalOfWallet(wallet: string, accounts: AccountsState): Principal {
  const keyHash = accountHashOfWallet(wallet)
  const account = accounts.accountOfWallet(keyHash)
  if (!account || account.managed) throw new NotTheAdmin(wallet)
  if (account.adminWallet !== wallet) throw new NotTheAdmin(wallet, account.adminWallet)
  return { account, keyHash, wallet }
}
