import { sealForStorage, importChannelKey } from '../../shared/envelope/seal.ts'
import { MINUTE_MS } from '../../shared/durations.ts'
import type { StorageBinding } from '../../shared/envelope/format.ts'
import type { StoredLinkKey } from '../../shared/wire/account-links.ts'
import type { StoredUsageKey } from '../../shared/wire/sealed.ts'
import type { P256Key } from '../keys/p256-key.ts'
import { openStoredUsageKey } from './open-request.ts'

/** Time for which a decrypted key stays in memory. */
const KEEP_MS = MINUTE_MS
const KEYS_MAX = 10_000

type CachedKey = { key: Buffer; expiry: NodeJS.Timeout }

/**
 * Decrypts usage keys that are sealed for triggers and account links. A trigger that fires often sends the same sealed key with each run,
 * and decrypting it takes longer than all other checks of the run, so decrypted keys are cached. The cache does not
 * affect permissions, which are checked for each run.
 */
export class StoredUsageKeys {
  readonly #storageKey: P256Key
  #sealingKey: ReturnType<typeof importChannelKey> | undefined
  readonly #cached = new Map<string, CachedKey>()

  constructor(storageKey: P256Key) {
    this.#storageKey = storageKey
  }

  /** @throws {EnvelopeError} also if the key was sealed for another trigger, account link or owner */
  open(stored: StoredUsageKey | StoredLinkKey): string {
    const { sealed_usage_key } = stored
    const binding = bindingOf(stored)
    const name = JSON.stringify([sealed_usage_key, binding])
    const cached = this.#cached.get(name)
    if (cached) return cached.key.toString('utf8')
    const sealed = Buffer.from(sealed_usage_key, 'base64url')
    const key = openStoredUsageKey(this.#storageKey, sealed, binding)
    this.#add(name, key)
    return key.toString('utf8')
  }

  /**
   * Seals a stored key again, for another trigger of the same owner.
   * @throws {EnvelopeError} if the key was sealed for another binding than the request states
   */
  async reseal(stored: StoredUsageKey | StoredLinkKey, triggerId: string): Promise<string> {
    const usageKey = this.open(stored)
    this.#sealingKey ??= importChannelKey(Uint8Array.from(this.#storageKey.publicKey))
    const owner = { triggerId, ownerId: stored.owner_id }
    const sealed = await sealForStorage(await this.#sealingKey, usageKey, owner)
    return Buffer.from(sealed).toString('base64url')
  }

  #add(name: string, key: Buffer): void {
    const expiry = setTimeout(() => this.#wipe(name), KEEP_MS).unref()
    this.#cached.set(name, { key, expiry })
    if (this.#cached.size <= KEYS_MAX) return
    for (const oldest of this.#cached.keys()) {
      this.#wipe(oldest)
      break
    }
  }

  #wipe(name: string): void {
    const cached = this.#cached.get(name)
    if (!cached) return
    clearTimeout(cached.expiry)
    cached.key.fill(0)
    this.#cached.delete(name)
  }
}

function bindingOf(stored: StoredUsageKey | StoredLinkKey): StorageBinding {
  const ownerId = stored.owner_id
  return 'link_id' in stored
    ? { linkId: stored.link_id, ownerId }
    : { triggerId: stored.trigger_id, ownerId }
}
