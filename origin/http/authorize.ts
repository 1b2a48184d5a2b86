import type { Principal } from '../accounts/account.ts'
import type { Chain } from '../accounts/chain.ts'
import { requireBillingKey, requireLiveKey, requireManaged } from '../accounts/ownership-mode.ts'
import { requireMaster } from '../accounts/rights.ts'
import type { Auth } from './authenticate.ts'

export type Authorization = {
  auth: Auth
  /** The function of the contract that the operation calls for the account. */
  writes?: string
  /** The method of the client library that does the same. */
  clientMethod?: string
  /** Billing: the API key from before a conversion may call it until the account is transferred. */
  afterConversion?: true
}

/**
 * What the kind of key and the mode of its account rule out, before the operation looks at rights of its own.
 * @throws {ForeseenRefusal | AccountChainSecured | OwnershipTransferred} 403
 */
export function authorize(
  { auth, writes, clientMethod, afterConversion }: Authorization,
  principal: Principal,
  { contractAddress, chainId }: Pick<Chain, 'contractAddress' | 'chainId'>,
): void {
  if (auth === 'account_key') requireMaster(principal)
  if (writes !== undefined)
    requireManaged(principal, {
      functionName: writes,
      ...(clientMethod !== undefined && { clientMethod }),
      contractAddress,
      chainId,
    })
  else if (afterConversion) requireBillingKey(principal)
  else requireLiveKey(principal)
}
