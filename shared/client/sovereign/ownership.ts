import { accountHashOfWallet } from '../../typed-data.ts'
import type { CallOptions } from '../options.ts'
import { orAborted } from './aborted.ts'
import type { AccountContract } from './account-contract.ts'
import { InvalidArgument } from './argument-failure.ts'
import { textOf } from './arguments.ts'
import { contractCoding } from './contract-coding.ts'
import type { Deployment } from './deployment.ts'

export type NewAccount = {
  /** Address of the admin wallet. */
  wallet_address: string
  /** 0x hex of 32 bytes, derived from the address of the wallet that opened the account. */
  account_hash: string
}

export type Ownership = {
  /** @throws {TransactionReverted} `AccountAlreadyExists` if the wallet is or was an admin of any account */
  newAccount(
    fields: { account_name: string; account_description?: string },
    options?: CallOptions,
  ): Promise<NewAccount>
  /**
   * Irreversible: the current wallet can never become an admin again. Usage keys do not change.
   * @param newAdmin if it contains upper-case hex digits, it must have a valid EIP-55 checksum
   * @param confirm prevents accidental calls
   * @throws {TransactionReverted} `AccountAlreadyExists` if the new wallet is or was an admin of any account
   */
  transferOwnership(
    newAdmin: string,
    confirm: typeof NO_WAY_BACK,
    options?: CallOptions,
  ): Promise<{ success: true }>
  /** Hash of the account that the wallet is or was the admin of. It does not change when the admin changes. */
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
      // The sender of the transaction, because the wallet may have switched to another address.
      const { sender } = await contract.writeAsWallet(what, 'newChainSecuredAccount', args, options)
      const coding = await contractCoding()
      return { wallet_address: coding.address(sender), account_hash: accountHashOfWallet(sender) }
    },
    transferOwnership: async (newAdmin, confirm, options) => {
      if ((confirm as string) !== NO_WAY_BACK)
        throw new InvalidArgument(
          'confirm',
          `expected '${NO_WAY_BACK}': the transfer cannot be undone`,
        )
      const address = await addressOfAdmin(newAdmin)
      const { contractAddress } = await orAborted(deployment(), options?.signal)
      if (address.toLowerCase() === contractAddress.toLowerCase())
        throw new InvalidArgument(
          'newAdmin',
          'this is the accounts contract, which cannot send transactions',
        )
      const what = `permanently transfer the account to ${address}`
      await contract.write(what, 'transferChainSecuredAccountOwnership', [address], options)
      return { success: true }
    },
    accountHash: (options) => contract.hash(options),
  }
}

/** Validates the checksum too, because access to the account would be lost after a typing error. */
async function addressOfAdmin(text: string): Promise<string> {
  const coding = await contractCoding()
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgument('newAdmin', 'expected the 20-byte hex address of a wallet, with 0x')
  try {
    return coding.address(text)
  } catch {
    throw new InvalidArgument(
      'newAdmin',
      'its EIP-55 checksum does not match: check for a typing error',
    )
  }
}
