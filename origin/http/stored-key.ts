import type { StoredUsageKey } from '../../shared/wire/sealed.ts'
import { openStoredUsageKey } from '../channel/open-request.ts'
import type { OriginServices } from '../services.ts'

/** @throws {EnvelopeRefused} also if the key was sealed for another trigger or owner */
export function openStoredKey(
  stored: StoredUsageKey,
  { storage }: OriginServices['channel'],
): string {
  const sealed = Buffer.from(stored.sealed_usage_key, 'base64url')
  const owner = { triggerId: stored.trigger_id, ownerId: stored.owner_id }
  return openStoredUsageKey(storage, sealed, owner)
}
