import { isOwner } from '../accounts/rights.ts'
import type { Principal } from '../accounts/state.ts'
import type { Payer } from '../credits/processor/payments.ts'

/** The account of a principal as the one that pays, and the key that asks for it where that is not the owner. */
export function payerOf(principal: Principal): Payer {
  const { account, keyHash } = principal
  return { accountHash: account.hash, ...(!isOwner(principal) && { usageKeyHash: keyHash }) }
}
