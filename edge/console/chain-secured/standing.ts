/** Reads the contract through the wallet's node. */
import {
  type AccountView,
  contractCoding,
} from '../../../shared/client/sovereign/contract-coding.ts'
import { revertDataIn } from '../../../shared/client/sovereign/refusals.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import type { Place } from './explain-transaction.ts'

/**
 * Relation of a wallet's address to an account:
 * - `admin`: the wallet can change its account.
 * - `former`: the account was transferred or is managed by the service; the wallet can never be an admin again.
 * - `none`: the wallet was never an admin, and can open an account or receive one.
 */
export type Standing = 'admin' | 'former' | 'none'

export type Asking = { provider: Eip1193Provider; place: Place }

/** Found even if stored under another hash; undefined if there is no account. */
export async function accountOf(
  { provider, place }: Asking,
  address: string,
): Promise<AccountView | undefined> {
  const coding = await contractCoding()
  const data = coding.encode('accountOf', [accountHashOfWallet(address)])
  let answer: unknown
  try {
    const call = { from: address, to: place.contractAddress, data }
    answer = await provider.request({ method: 'eth_call', params: [call, 'latest'] })
  } catch (error) {
    const reverted = revertDataIn(error)
    const refusal = reverted === undefined ? undefined : coding.refusal(reverted)
    if (refusal?.errorName === 'AccountDoesNotExist') return undefined
    throw error
  }
  return coding.account(String(answer))
}

export async function standingOf(asking: Asking, address: string): Promise<Standing> {
  const account = await accountOf(asking, address)
  if (!account) return 'none'
  const isAdmin = !account.managed && account.adminWallet.toLowerCase() === address.toLowerCase()
  return isAdmin ? 'admin' : 'former'
}

/** True for contract wallets. */
export async function hasCode({ provider }: Asking, address: string): Promise<boolean> {
  const code = await provider.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return typeof code === 'string' && code.length > 2
}
