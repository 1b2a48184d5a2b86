import { isOwner } from '../accounts/rights.ts'
import type { Principal } from '../accounts/state.ts'
import type { PaymentRequester } from '../credits/processor/payments.ts'

/** Includes the usage key if the caller is not the owner. */
export function payerOf(principal: Principal): PaymentRequester {
  const { account, keyHash } = principal
  return { accountHash: account.hash, ...(!isOwner(principal) && { usageKeyHash: keyHash }) }
}
