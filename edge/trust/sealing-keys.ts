import { MINUTE_MS } from '../../shared/durations.ts'
import { type ChannelPublicKey, importChannelKey } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { type TrustHealth, unverifiedHealth } from './trust-health.ts'

export type SealingKeys = {
  channel: ChannelPublicKey
  storage: ChannelPublicKey
  verifiedUntil: number
}

const TRUST_OBJECT = 'origin'

/** Lead time with which an isolate requests new keys before the current ones expire. */
const AHEAD_MS = 5 * MINUTE_MS
/** Minimum interval between an isolate's attempts to renew the keys. */
const RENEW_RETRY_MS = 10_000

let cachedKeys: { env: Env; keys: SealingKeys; renewAt: number } | undefined

/**
 * Returns the origin's verified keys, which are cached in the isolate until they expire. Calls `OriginTrust` on a cache
 * miss, for a renewal in the background, or if the cached keys are `stale`.
 * @throws {Error} if the origin is not verified
 */
export async function sealingKeys(env: Env, now: number, stale = false): Promise<SealingKeys> {
  if (!stale && cachedKeys && cachedKeys.env === env && cachedKeys.keys.verifiedUntil > now) {
    if (now >= cachedKeys.renewAt) {
      cachedKeys.renewAt = now + RENEW_RETRY_MS
      // Ignores a failed renewal, because a later call tries again.
      void fetchKeys(env, false).catch(() => undefined)
    }
    return cachedKeys.keys
  }
  return fetchKeys(env, stale)
}

async function fetchKeys(env: Env, stale: boolean): Promise<SealingKeys> {
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(TRUST_OBJECT)
  const trusted = await trust.keys(stale)
  const keys: SealingKeys = {
    channel: await importChannelKey(Uint8Array.from(trusted.channelKey)),
    storage: await importChannelKey(Uint8Array.from(trusted.storageKey)),
    verifiedUntil: trusted.verifiedUntil,
  }
  // If the new keys do not expire later than the previous ones, the retry interval still applies.
  const renewAt = Math.max(
    keys.verifiedUntil - AHEAD_MS,
    cachedKeys?.env === env ? cachedKeys.renewAt : 0,
  )
  cachedKeys = { env, keys, renewAt }
  return keys
}

/**
 * Time for which the health is cached. Anyone may request the health, and uncached requests could overload the single
 * `OriginTrust` object, which also serves keys to the whole edge.
 */
const HEALTH_KEPT_MS = 1_000

let cachedHealth: { env: Env; health: TrustHealth; at: number } | undefined

/** Returns the trust state, which is at most a second old. Calls the `OriginTrust` object, but never the origin. */
export async function originHealth(env: Env, now: number): Promise<TrustHealth> {
  if (cachedHealth?.env === env && Math.abs(now - cachedHealth.at) < HEALTH_KEPT_MS)
    return cachedHealth.health
  const health = await fetchHealth(env)
  cachedHealth = { env, health, at: now }
  return health
}

async function fetchHealth(env: Env): Promise<TrustHealth> {
  try {
    return await env.ORIGIN_TRUST_OBJECT.getByName(TRUST_OBJECT).health()
  } catch {
    return unverifiedHealth('trust_object_away')
  }
}
