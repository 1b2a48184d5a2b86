import {
  type AccountView,
  loadContractCodec,
} from '../../../shared/client/sovereign/contract-codec.ts'
import { revertDataOf } from '../../../shared/client/sovereign/provider-errors.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import type { AccountsChain } from './explain-transaction.ts'

/**
 * Relation of a wallet's address to an account:
 * - `admin`: the wallet is the admin of an account.
 * - `former`: the account was transferred or is managed by the service; the wallet can never be an admin again.
 * - `none`: the wallet was never an admin, and can open an account or receive one.
 */
export type AdminStatus = 'admin' | 'former' | 'none'

type AccountsReader = { provider: Eip1193Provider; place: AccountsChain }

/** Finds the account even if it is stored under another hash. */
export async function readAccount(
  { provider, place }: AccountsReader,
  address: string,
): Promise<AccountView | undefined> {
  const coding = await loadContractCodec()
  const data = coding.encode('accountOf', [accountHashOfWallet(address)])
  let answer: unknown
  try {
    const call = { from: address, to: place.contractAddress, data }
    answer = await provider.request({ method: 'eth_call', params: [call, 'latest'] })
  } catch (error) {
    const reverted = revertDataOf(error)
    const refusal = reverted === undefined ? undefined : coding.decodeError(reverted)
    if (refusal?.errorName === 'AccountDoesNotExist') return undefined
    throw error
  }
  return coding.account(String(answer))
}

export async function readAdminStatus(
  asking: AccountsReader,
  address: string,
): Promise<AdminStatus> {
  const account = await readAccount(asking, address)
  if (!account) return 'none'
  const isAdmin = !account.managed && account.adminWallet.toLowerCase() === address.toLowerCase()
  return isAdmin ? 'admin' : 'former'
}

export async function hasCode({ provider }: AccountsReader, address: string): Promise<boolean> {
  const code = await provider.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return typeof code === 'string' && code.length > 2
}
