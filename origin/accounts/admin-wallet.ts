import { accountHashOfWallet } from '../../shared/typed-data.ts'
import type { AccountsState, Principal } from './state.ts'

/** The wallet is not currently the admin of any ChainSecured account. */
export class NotTheAdmin extends Error {
  readonly wallet: string
  /** The current admin, if the wallet was the admin of an account before a transfer. */
  readonly heir: string | undefined

  constructor(wallet: string, heir?: string) {
    super('the wallet is the admin of no account')
    this.name = 'NotTheAdmin'
    this.wallet = wallet
    this.heir = heir
  }
}

/**
 * Returns the principal for an admin wallet. The wallet's hash only locates the account; the admin recorded on the
 * chain decides, because hashes of former admins remain and anyone can register any hash as a usage key.
 * @param wallet EIP-55; no signature is checked here
 * @throws {NotTheAdmin}
 */
export function principalOfWallet(wallet: string, accounts: AccountsState): Principal {
  const keyHash = accountHashOfWallet(wallet)
  const account = accounts.accountOfWallet(keyHash)
  if (!account || account.managed) throw new NotTheAdmin(wallet)
  if (account.adminWallet !== wallet) throw new NotTheAdmin(wallet, account.adminWallet)
  return { account, keyHash, wallet }
}
