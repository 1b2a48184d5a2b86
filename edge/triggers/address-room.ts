import { USER_ADDRESSES_MAX } from '../../shared/limits.ts'
import { indexAddresses, type IndexDatabase } from './trigger-index.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

/**
 * Limits the addresses of all chain events of a user. Concurrent requests may exceed the limit, which is a safeguard.
 * @param config an accepted config of a trigger
 * @throws {TriggerRejectedError} if the user has too many addresses
 */
export async function requireAddressRoom(
  db: IndexDatabase,
  { ownerId, triggerId }: { ownerId: string; triggerId: string },
  { addresses }: Record<string, unknown>,
): Promise<void> {
  if (!Array.isArray(addresses)) return
  const others = await indexAddresses(db, ownerId, triggerId)
  if (others + addresses.length <= USER_ADDRESSES_MAX) return
  throw new TriggerRejectedError({
    reason: 'field',
    field: 'config.addresses',
    problem: `your triggers would have ${others + addresses.length} addresses; the limit is ${USER_ADDRESSES_MAX}`,
    fix: 'Delete triggers that you do not need, or select contracts with where and topic_filters.',
  })
}
