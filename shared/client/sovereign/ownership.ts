import { accountHashOfWallet } from '../../crypto/typed-data.ts'
import type { CallOptions } from '../options.ts'
import { abortable } from '../abortable.ts'
import type { AccountContract } from './account-contract.ts'
import { InvalidArgument, requireWellFormed } from './arguments.ts'
import { loadContractCodec } from './contract-codec.ts'
import type { Deployment } from './deployment.ts'

export type NewSovereignAccount = {
  wallet_address: string
  /** Hash of the account, 32 bytes as 0x hex. It is derived from the address of the wallet that opened the account. */
  account_hash: string
}

export type Ownership = {
  /**
   * Opens an account.
   * @throws {TransactionReverted} `AccountAlreadyExists` if the wallet is or was an admin of any account
   */
  newAccount(
    fields: { account_name: string; account_description?: string },
    options?: CallOptions,
  ): Promise<NewSovereignAccount>
  /**
   * Transfers the account to another admin wallet. Irreversible: the current wallet can never become an admin again.
   * Usage keys do not change.
   * @param newAdmin if the address contains upper-case hex digits, it must have a valid EIP-55 checksum
   * @param confirm prevents accidental calls
   * @throws {TransactionReverted} `AccountAlreadyExists` if the new wallet is or was an admin of any account
   */
  transferOwnership(
    newAdmin: string,
    confirm: typeof TRANSFER_CONFIRMATION,
    options?: CallOptions,
  ): Promise<{ success: true }>
  /**
   * Returns the hash of the account that the wallet is or was the admin of. The hash stays the same when the admin
   * changes.
   */
  accountHash(options?: CallOptions): Promise<string>
}

export const TRANSFER_CONFIRMATION = 'there is no way back'

export function ownership(
  contract: AccountContract,
  deployment: () => Promise<Deployment>,
): Ownership {
  return {
    newAccount: async ({ account_name, account_description = '' }, options) => {
      const args = [
        requireWellFormed('account_name', account_name),
        requireWellFormed('account_description', account_description),
      ]
      const what = `open the account ${account_name}`
      // Uses the transaction's sender, because the wallet may have switched to another address.
      const { sender } = await contract.writeAsWallet(what, 'newChainSecuredAccount', args, options)
      const coding = await loadContractCodec()
      return { wallet_address: coding.address(sender), account_hash: accountHashOfWallet(sender) }
    },
    transferOwnership: async (newAdmin, confirm, options) => {
      if ((confirm as string) !== TRANSFER_CONFIRMATION)
        throw new InvalidArgument(
          'confirm',
          `expected '${TRANSFER_CONFIRMATION}': the transfer cannot be undone`,
        )
      const address = await addressOfAdmin(newAdmin)
      const { contractAddress } = await abortable(deployment(), options?.signal)
      if (address.toLowerCase() === contractAddress.toLowerCase())
        throw new InvalidArgument(
          'newAdmin',
          'this is the address of the accounts contract, which cannot send transactions',
        )
      const what = `permanently transfer the account to ${address}`
      await contract.write(what, 'transferChainSecuredAccountOwnership', [address], options)
      return { success: true }
    },
    accountHash: (options) => contract.hash(options),
  }
}

/**
 * Validates the address of a new admin, including its checksum, because access to the account would be lost after a
 * typing error.
 */
async function addressOfAdmin(text: string): Promise<string> {
  const coding = await loadContractCodec()
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgument('newAdmin', 'expected the 20-byte hex address of a wallet, with 0x')
  try {
    return coding.address(text)
  } catch {
    throw new InvalidArgument(
      'newAdmin',
      'the EIP-55 checksum does not match; check the address for typing errors',
    )
  }
}
