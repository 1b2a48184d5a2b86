import type { Principal } from '../accounts/account.ts'
import type { Chain } from '../accounts/chain.ts'
import { requireBillingKey, requireLiveKey, requireManaged } from '../accounts/ownership-mode.ts'
import { requireMaster } from '../accounts/rights.ts'
import type { Auth } from './authenticate.ts'

export type Authorization = {
  auth: Auth
  /** Name of the contract function that the operation calls for the account. Absent if it calls no function. */
  writes?: string
  /** Name of the equivalent method in the client library. */
  clientMethod?: string
  /**
   * True for billing operations. After a conversion, the previous account key may still call them until the account is
   * transferred.
   */
  afterConversion?: true
}

/**
 * Checks that the caller's kind of key and the account's mode allow the operation. The operation itself checks specific
 * permissions afterwards.
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
