import { isOwner } from '../accounts/rights.ts'
import type { Principal } from '../accounts/state.ts'
import type { Payer } from '../credits/processor/payments.ts'

/** Includes the usage key if the caller is not the owner. */
export function payerOf(principal: Principal): Payer {
  const { account, keyHash } = principal
  return { accountHash: account.hash, ...(!isOwner(principal) && { usageKeyHash: keyHash }) }
}
