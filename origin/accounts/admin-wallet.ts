import { accountHashOfWallet } from '../../shared/typed-data.ts'
import type { AccountsState, Principal } from './state.ts'

export class NotTheAdmin extends Error {
  readonly wallet: string
  /** Current admin, if the wallet was the admin before a transfer. Undefined otherwise. */
  readonly heir: string | undefined

  constructor(wallet: string, heir?: string) {
    super('the wallet is not the admin of any account')
    this.name = 'NotTheAdmin'
    this.wallet = wallet
    this.heir = heir
  }
}

/**
 * The wallet's hash only finds the account. The admin recorded on the chain is authoritative, because the hashes of
 * former admins remain and anyone can register any hash as a usage key.
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
