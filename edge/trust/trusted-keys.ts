import { type ChannelPublicKey, importChannelKey } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { type TrustHealth, unverified } from './trust-health.ts'

/** The verified keys, ready for sealing. */
export type SealingKeys = {
  channel: ChannelPublicKey
  storage: ChannelPublicKey
  verifiedUntil: number
}

/** One `OriginTrust` for the whole edge. */
const TRUST_OBJECT = 'origin'

/** An isolate asks for later keys this long before its own end, and so often until it is given some. */
const AHEAD_MS = 5 * 60 * 1000
const AGAIN_MS = 10_000

let cached: { env: Env; keys: SealingKeys; renewAt: number } | undefined

/**
 * The keys of this isolate until they have to be verified again; `OriginTrust` is asked only on a miss, or for
 * `stale` ones.
 * @throws {Error} when the origin is not verified
 */
export async function sealingKeys(env: Env, now: number, stale = false): Promise<SealingKeys> {
  if (!stale && cached && cached.env === env && cached.keys.verifiedUntil > now) {
    if (now >= cached.renewAt) {
      cached.renewAt = now + AGAIN_MS
      // Nobody waits for it: where it fails, whoever finds the keys expired asks again.
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
  // Keys that are as old as those before are asked for again by the same clock.
  const renewAt = Math.max(keys.verifiedUntil - AHEAD_MS, cached?.env === env ? cached.renewAt : 0)
  cached = { env, keys, renewAt }
  return keys
}

/** Everybody may ask, and one object answers, which has keys to give to all of the edge. */
const HEALTH_KEPT_MS = 1_000

let told: { env: Env; health: TrustHealth; at: number } | undefined

/** What the object knows of the origin, a second old at most: one call to it, and none to the origin. */
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
