/** Opening an account by a wallet, and handing it on (specification, States and transitions). */
import { accountHashOfWallet } from '../../typed-data.ts'
import type { CallOptions } from '../options.ts'
import { orAborted } from './aborted.ts'
import type { AccountContract } from './account-contract.ts'
import { InvalidArgument } from './argument-failure.ts'
import { textOf } from './arguments.ts'
import { contractCoding } from './contract-coding.ts'
import type { Deployment } from './deployment.ts'

export type NewAccount = {
  /** Of the admin. */
  wallet_address: string
  /** 0x hex of 32 bytes; of the wallet's address, as every account that a wallet opens. */
  account_hash: string
}

export type Ownership = {
  /** @throws {TransactionReverted} `AccountAlreadyExists` where the wallet is or was an admin of any account */
  newAccount(
    fields: { account_name: string; account_description?: string },
    options?: CallOptions,
  ): Promise<NewAccount>
  /**
   * Hands the account to another wallet, for ever: this one can never be an admin again. Usage keys stay as they are.
   * @param newAdmin its address; capitals, where there are any, have to be those of EIP-55
   * @param confirm so that nobody calls it by accident
   * @throws {TransactionReverted} `AccountAlreadyExists` where the wallet is or was an admin of any account
   */
  transferOwnership(
    newAdmin: string,
    confirm: typeof NO_WAY_BACK,
    options?: CallOptions,
  ): Promise<{ success: true }>
  /** Of the account that the wallet is or was the admin of; it stays when the admin changes. */
  accountHash(options?: CallOptions): Promise<string>
}

export const NO_WAY_BACK = 'there is no way back'

export function ownership(
  contract: AccountContract,
  deployment: () => Promise<Deployment>,
): Ownership {
  return {
    newAccount: async ({ account_name, account_description = '' }, options) => {
      const args = [
        textOf('account_name', account_name),
        textOf('account_description', account_description),
      ]
      const what = `open the account ${account_name}`
      // Of who has sent it: the wallet may be on another of its addresses by now.
      const { sender } = await contract.writeAsWallet(what, 'newChainSecuredAccount', args, options)
      const coding = await contractCoding()
      return { wallet_address: coding.address(sender), account_hash: accountHashOfWallet(sender) }
    },
    transferOwnership: async (newAdmin, confirm, options) => {
      if ((confirm as string) !== NO_WAY_BACK)
        throw new InvalidArgument(
          'confirm',
          `expected '${NO_WAY_BACK}': the account can not return`,
        )
      const address = await addressOfAdmin(newAdmin)
      const { contractAddress } = await orAborted(deployment(), options?.signal)
      if (address.toLowerCase() === contractAddress.toLowerCase())
        throw new InvalidArgument(
          'newAdmin',
          'that is the contract of the accounts, which sends nothing',
        )
      const what = `hand the account to ${address}, without a way back`
      await contract.write(what, 'transferChainSecuredAccountOwnership', [address], options)
      return { success: true }
    },
    accountHash: (options) => contract.hash(options),
  }
}

/** A mistyped address would lose the account. */
async function addressOfAdmin(text: string): Promise<string> {
  const coding = await contractCoding()
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgument('newAdmin', 'expected the 20-byte hex address of a wallet, with 0x')
  try {
    return coding.address(text)
  } catch {
    throw new InvalidArgument(
      'newAdmin',
      'its capitals are not those of EIP-55: look for a typing error',
    )
  }
}
