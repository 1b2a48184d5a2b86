import { type ChannelPublicKey, importChannelKey } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { type TrustHealth, unverified } from './trust-health.ts'

/** The verified keys, imported for sealing. */
export type SealingKeys = {
  channel: ChannelPublicKey
  storage: ChannelPublicKey
  verifiedUntil: number
}

/** Name of the edge's single `OriginTrust` object. */
const TRUST_OBJECT = 'origin'

/** An isolate requests new keys this long before its own expire. */
const AHEAD_MS = 5 * 60 * 1000
/** Minimum interval between attempts to renew the keys. */
const AGAIN_MS = 10_000

let cached: { env: Env; keys: SealingKeys; renewAt: number } | undefined

/**
 * Returns the keys cached in this isolate, until they expire. Calls `OriginTrust` on a cache miss, for a renewal in the
 * background, or for `stale` keys.
 * @throws {Error} if the origin is not verified
 */
export async function sealingKeys(env: Env, now: number, stale = false): Promise<SealingKeys> {
  if (!stale && cached && cached.env === env && cached.keys.verifiedUntil > now) {
    if (now >= cached.renewAt) {
      cached.renewAt = now + AGAIN_MS
      // In the background. If it fails, a later call tries again.
      void askForKeys(env, false).catch(() => undefined)
    }
    return cached.keys
  }
  return askForKeys(env, stale)
}

async function askForKeys(env: Env, stale: boolean): Promise<SealingKeys> {
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(TRUST_OBJECT)
  const trusted = await trust.keys(stale)
  const keys: SealingKeys = {
    channel: await importChannelKey(Uint8Array.from(trusted.channelKey)),
    storage: await importChannelKey(Uint8Array.from(trusted.storageKey)),
    verifiedUntil: trusted.verifiedUntil,
  }
  // If the new keys expire no later than the previous ones, the retry interval still applies.
  const renewAt = Math.max(keys.verifiedUntil - AHEAD_MS, cached?.env === env ? cached.renewAt : 0)
  cached = { env, keys, renewAt }
  return keys
}

/** Cache lifetime: anyone may request the health, and the single object must also serve keys to the whole edge. */
const HEALTH_KEPT_MS = 1_000

let told: { env: Env; health: TrustHealth; at: number } | undefined

/** Returns the trust state of the origin, at most a second old. Calls the object, but never the origin. */
export async function originHealth(env: Env, now: number): Promise<TrustHealth> {
  if (told?.env === env && Math.abs(now - told.at) < HEALTH_KEPT_MS) return told.health
  const health = await askForHealth(env)
  told = { env, health, at: now }
  return health
}

async function askForHealth(env: Env): Promise<TrustHealth> {
  try {
    return await env.ORIGIN_TRUST_OBJECT.getByName(TRUST_OBJECT).health()
  } catch {
    return unverified('trust_object_away')
  }
}
