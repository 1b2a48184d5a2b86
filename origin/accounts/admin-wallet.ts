import { accountHashOfWallet } from '../../shared/crypto/typed-data.ts'
import type { Principal } from './account.ts'
import type { AccountsState } from './state.ts'

export class NotAdminError extends Error {
  override readonly name = 'NotAdminError'
  readonly wallet: string
  /** Current admin, if the wallet was the admin before a transfer. Undefined otherwise. */
  readonly currentAdmin: string | undefined

  constructor(wallet: string, currentAdmin?: string) {
    super('the wallet is not the admin of any account')
    this.wallet = wallet
    this.currentAdmin = currentAdmin
  }
}

/**
 * The wallet's hash only finds the account. The admin recorded on the chain is authoritative, because the hashes of
 * former admins remain and anyone can register any hash as a usage key.
 * @param wallet EIP-55 address. No signature is verified here.
 * @throws {NotAdminError}
 */
export function principalOfWallet(wallet: string, accounts: AccountsState): Principal {
  const keyHash = accountHashOfWallet(wallet)
  const account = accounts.accountOfWallet(keyHash)
  if (!account || account.managed) throw new NotAdminError(wallet)
  if (account.adminWallet !== wallet) throw new NotAdminError(wallet, account.adminWallet)
  return { account, keyHash, wallet }
}
