import { accountHashOfWallet } from '../../shared/crypto/typed-data.ts'
import type { Principal } from './account.ts'
import type { AccountsState } from './state.ts'

export class NotAdminError extends Error {
  override readonly name = 'NotAdminError'
  readonly wallet: string
  /**
   * Address of the account's current admin, if the rejected wallet was its admin before a transfer. Undefined
   * otherwise.
   */
  readonly currentAdmin: string | undefined

  constructor(wallet: string, currentAdmin?: string) {
    super('the wallet is not the admin of any account')
    this.wallet = wallet
    this.currentAdmin = currentAdmin
  }
}

/**
 * The wallet's hash is used only to find the account, and proves nothing: the hashes of former admins remain
 * registered, and anyone can register any hash as a usage key. The admin recorded on the chain is authoritative.
 * @param wallet EIP-55 address; this function does not verify a signature
 * @throws {NotAdminError}
 */
export function principalOfWallet(wallet: string, accounts: AccountsState): Principal {
  const keyHash = accountHashOfWallet(wallet)
  const account = accounts.accountOfWallet(keyHash)
  if (!account || account.managed) throw new NotAdminError(wallet)
  if (account.adminWallet !== wallet) throw new NotAdminError(wallet, account.adminWallet)
  return { account, keyHash, wallet }
}
