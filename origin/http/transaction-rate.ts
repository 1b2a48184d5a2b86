import type { Principal } from '../accounts/account.ts'
import { isOwner } from '../accounts/rights.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import type { OriginServices } from '../services.ts'

/**
 * Counts a request that sends, speeds up or cancels a transaction. Called after the rights were checked, so that a key
 * without them does not use up the requests of its account.
 * @throws {LimitExceededError}
 */
export function takeTransactionRate(
  principal: Principal,
  { transactionRate }: Pick<OriginServices, 'transactionRate'>,
): void {
  const by = isOwner(principal) ? 'owner' : 'usage key'
  const refused = transactionRate.take(principal.account.hash, by)
  if (refused)
    throw new LimitExceededError(
      `this account has sent or changed ${refused.count} transactions within a minute`,
      refused.retryAfterMs,
    )
}
