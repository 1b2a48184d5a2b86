import { accountHashOfWallet } from '../../shared/typed-data.ts'
import type { AccountsState, Principal } from './state.ts'

/** Thrown if a wallet is not currently the admin of a ChainSecured account. */
export class NotTheAdmin extends Error {
  readonly wallet: string
  /** Address of the current admin if the wallet was the admin of an account before a transfer. Undefined otherwise. */
  readonly heir: string | undefined

  constructor(wallet: string, heir?: string) {
    super('the wallet is not the admin of any account')
    this.name = 'NotTheAdmin'
    this.wallet = wallet
    this.heir = heir
  }
}

/**
 * Returns the principal for an admin wallet. The wallet's hash is only used to find the account. The admin recorded on
 * the chain is authoritative, because the hashes of former admins remain and anyone can register any hash as a usage
 * key.
 * @param wallet EIP-55 address. No signature is verified here.
 * @throws {NotTheAdmin}
 */
export function principalOfWallet(wallet: string, accounts: AccountsState): Principal {
  const keyHash = accountHashOfWallet(wallet)
  const account = accounts.accountOfWallet(keyHash)
  if (!account || account.managed) throw new NotTheAdmin(wallet)
  if (account.adminWallet !== wallet) throw new NotTheAdmin(wallet, account.adminWallet)
  return { account, keyHash, wallet }
}
