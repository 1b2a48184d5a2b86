import { sealForStorage } from '../../shared/envelope/seal.ts'
import { errorReason } from '../../shared/errors/api-error.ts'
import type { Env } from '../env.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { sealingKeys } from '../trust/sealed-call.ts'
import { OriginBusyError } from '../trust/sealed-http.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { withoutSideEffects } from '../triggers/without-side-effects.ts'
import { AccountLinkError } from './account-link-error.ts'

export type SealedLinkKey = {
  /** Usage key, encrypted for this link and owner only. The edge cannot decrypt it. */
  sealedUsageKey: Uint8Array<ArrayBuffer>
  keyHash: string
  accountHash: string
}

/**
 * Checks a usage key and encrypts it to the origin. The plaintext key never leaves the request that contained it.
 * @throws {AccountLinkError} if the key is an account key, unknown or expired
 * @throws {OriginUnavailableError | OriginBusyError} if the key cannot be checked at the moment; an unchecked key is
 *   never stored
 */
export async function sealLinkKey(
  env: Env,
  now: () => number,
  usageKey: string,
  binding: { linkId: string; ownerId: string },
): Promise<SealedLinkKey> {
  return withoutSideEffects(async () => {
    const hashes = await checkLinkKey(env, now, usageKey)
    const { storage } = await sealingKeys(env, now())
    return { sealedUsageKey: await sealForStorage(storage, usageKey, binding), ...hashes }
  })
}

async function checkLinkKey(
  env: Env,
  now: () => number,
  usageKey: string,
): Promise<{ keyHash: string; accountHash: string }> {
  const checked = await new SealedOrigin(env, now).checkKey({ api_key: usageKey, for_link: true })
  if (checked.state !== 'known') {
    const { status } = checked
    if (status === 429 || status === 503) throw new OriginBusyError({ ...checked, status })
    throw new OriginUnavailableError(`the origin could not check the key: ${errorReason(checked)}`)
  }
  const { key, refused_by: refusedBy, key_hash: keyHash, account_hash: accountHash } = checked
  if (key === 'account') throw new AccountLinkError({ reason: 'account_key' })
  if (key === 'unknown') throw new AccountLinkError({ reason: 'unknown_key' })
  if (refusedBy === 'expired') throw new AccountLinkError({ reason: 'expired_key' })
  if (keyHash === undefined || accountHash === undefined)
    throw new OriginUnavailableError('the origin did not describe the key')
  return { keyHash, accountHash }
}
