import type { StoredKey } from '../../shared/wire/sealed.ts'
import { openStored } from '../channel/open-request.ts'
import type { Services } from '../services.ts'

/** @throws {EnvelopeRefused} also if the key was sealed for another trigger or owner */
export function openStoredKey(stored: StoredKey, { storage }: Services['channel']): string {
  const sealed = Buffer.from(stored.sealed_usage_key, 'base64url')
  const owner = { triggerId: stored.trigger_id, ownerId: stored.owner_id }
  return openStored(storage, sealed, owner)
}
