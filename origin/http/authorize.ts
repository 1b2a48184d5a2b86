import type { Principal } from '../accounts/account.ts'
import type { ContractChain } from '../accounts/chain.ts'
import {
  requireBillingKey,
  requireUnconvertedKey,
  requireManaged,
} from '../accounts/ownership-mode.ts'
import { requireMaster, requireMayReadAccount } from '../accounts/rights.ts'
import type { AuthKind } from './authenticate.ts'

export type Authorization = {
  auth: AuthKind
  /** Contract function that the operation calls for the account, if any. */
  writes?: string
  clientMethod?: string
  /**
   * True for billing operations: after a conversion, the previous account key may still call them until the ownership
   * of the account is transferred.
   */
  afterConversion?: true
}

/**
 * Checks the kind of key and the account's mode. Each operation checks specific permissions itself.
 * @throws {PredictedRevertError | ChainSecuredAccountError | OwnershipTransferredError} 403
 */
export function authorize(
  { auth, writes, clientMethod, afterConversion }: Authorization,
  principal: Principal,
  { contractAddress, chainId }: Pick<ContractChain, 'contractAddress' | 'chainId'>,
): void {
  if (auth === 'account_key') requireMaster(principal)
  if (auth === 'account_reader') requireMayReadAccount(principal)
  if (writes !== undefined)
    requireManaged(principal, {
      functionName: writes,
      ...(clientMethod !== undefined && { clientMethod }),
      contractAddress,
      chainId,
    })
  else if (afterConversion) requireBillingKey(principal)
  else requireUnconvertedKey(principal)
}
