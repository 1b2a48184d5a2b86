import { type ChannelPublicKey, importChannelKey } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'

/** The verified keys, ready for sealing. */
export type SealingKeys = {
  channel: ChannelPublicKey
  storage: ChannelPublicKey
  verifiedUntil: number
}

/** One `OriginTrust` for the whole edge. */
const TRUST_OBJECT = 'origin'

let cached: { env: Env; keys: SealingKeys } | undefined

/**
 * The keys of this isolate until they have to be verified again; `OriginTrust` is asked only on a miss, or for
 * `stale` ones.
 * @throws {Error} when the origin is not verified
 */
export async function sealingKeys(env: Env, now: number, stale = false): Promise<SealingKeys> {
  if (!stale && cached && cached.env === env && cached.keys.verifiedUntil > now) return cached.keys
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(TRUST_OBJECT)
  const trusted = await trust.keys(stale)
  const keys: SealingKeys = {
    channel: await importChannelKey(Uint8Array.from(trusted.channelKey)),
    storage: await importChannelKey(Uint8Array.from(trusted.storageKey)),
    verifiedUntil: trusted.verifiedUntil,
  }
  cached = { env, keys }
  return keys
}
