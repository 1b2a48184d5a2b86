import { isOwner } from '../accounts/rights.ts'
import type { Principal } from '../accounts/account.ts'
import type { PaymentRequester } from '../credits/processor/payments.ts'
import { NoProcessorError } from '../credits/processor/processor.ts'
import type { OriginServices } from '../services.ts'

/** @throws {NoProcessorError} if no payment processor is configured */
export function requireProcessor({
  processor,
}: OriginServices): NonNullable<OriginServices['processor']> {
  if (!processor) throw new NoProcessorError()
  return processor
}

/** Includes the usage key if the caller is not the owner. */
export function payerOf(principal: Principal): PaymentRequester {
  const { account, keyHash } = principal
  return { accountHash: account.hash, ...(!isOwner(principal) && { usageKeyHash: keyHash }) }
}
