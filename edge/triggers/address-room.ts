import { CHAIN_EVENT_ADDRESSES_MAX, USER_ADDRESSES_MAX } from '../../shared/limits.ts'
import { indexAddresses, type IndexDatabase } from './trigger-index.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

/** A factory counts as many addresses as it may have. */
function addressesIn({ addresses, factory }: Record<string, unknown>): number | null {
  if (factory !== undefined && factory !== null) return CHAIN_EVENT_ADDRESSES_MAX
  return Array.isArray(addresses) ? addresses.length : null
}

/**
 * Limits the addresses of all chain events of a user. Concurrent requests may exceed the limit, which is a safeguard.
 * @param config an accepted config of a trigger
 * @throws {TriggerRejectedError} if the user has too many addresses
 */
export async function requireAddressRoom(
  db: IndexDatabase,
  { ownerId, triggerId }: { ownerId: string; triggerId: string },
  config: Record<string, unknown>,
): Promise<void> {
  const added = addressesIn(config)
  if (added === null) return
  const others = await indexAddresses(db, ownerId, triggerId)
  if (others + added <= USER_ADDRESSES_MAX) return
  throw new TriggerRejectedError({
    reason: 'field',
    field: Array.isArray(config.addresses) ? 'config.addresses' : 'config.factory',
    problem: `your triggers would have ${others + added} addresses; the limit is ${USER_ADDRESSES_MAX}`,
    fix: 'Delete triggers that you do not need, or select contracts with where and topic_filters.',
  })
}
