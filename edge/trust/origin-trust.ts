import { MINUTE_MS } from '../../shared/durations.ts'
import { DurableObject } from 'cloudflare:workers'
import { type Env, settingsOf } from '../env.ts'
import {
  trustReason,
  type TrustHealth,
  type TrustReason,
  unverifiedHealth,
  verifiedHealth,
} from './trust-health.ts'
import { type OriginIdentity, originIdentity } from './origin-identity.ts'
import type { TrustedKeys, TrustObject } from './trust-object.ts'
import { type VerifiedOrigin, verifyOriginEvidence } from './verify-origin.ts'

/** Lead time for renewing the keys before they expire, so that no run has to wait for the renewal. */
const AHEAD_MS = 10 * MINUTE_MS
/** Minimum interval between verifications, regardless of how many objects request one. */
const REVERIFY_MIN_MS = 1_000

/**
 * Verifies the origin before anything is encrypted to it, and repeats the verification within the hour. Fails closed,
 * because nothing can be encrypted without verified keys. Persists nothing, so the origin is verified again after an
 * eviction (`docs/decisions/0030`).
 */
export class OriginTrust extends DurableObject<Env> implements TrustObject {
  #origin: VerifiedOrigin | undefined
  #verifying: Promise<VerifiedOrigin> | undefined
  #failed: { error: unknown; reason: TrustReason; at: number } | undefined

  async keys(stale: boolean): Promise<TrustedKeys> {
    const now = Date.now()
    const origin = this.#current(now)
    if (origin && !(stale && now - origin.verifiedAt > REVERIFY_MIN_MS)) {
      if (origin.verifiedUntil - now < AHEAD_MS)
        this.ctx.waitUntil(this.#reverify(now).catch(() => undefined))
      return keysOf(origin)
    }
    return keysOf(await this.#reverify(now))
  }

  async identity(): Promise<OriginIdentity> {
    const now = Date.now()
    return originIdentity(this.#current(now) ?? (await this.#reverify(now)))
  }

  async health(): Promise<TrustHealth> {
    const origin = this.#current(Date.now())
    if (origin) return verifiedHealth(origin, this.#failed?.reason)
    return unverifiedHealth(this.#failed?.reason ?? 'not_verified_yet')
  }

  #current(now: number): VerifiedOrigin | undefined {
    return this.#origin && this.#origin.verifiedUntil > now ? this.#origin : undefined
  }

  async #reverify(now: number): Promise<VerifiedOrigin> {
    // A negative time since the last failure means that the clock was set back. The verification must not be blocked in
    // that case.
    const sinceFailure = this.#failed ? now - this.#failed.at : REVERIFY_MIN_MS
    if (!this.#verifying && sinceFailure >= 0 && sinceFailure < REVERIFY_MIN_MS)
      throw this.#failed?.error
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined
    })
    return this.#verifying
  }

  async #verify(): Promise<VerifiedOrigin> {
    const settings = settingsOf(this.env)
    try {
      const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
      this.#origin = await verifyOriginEvidence({
        settings,
        fetch: sendRequest,
        random,
        now: Date.now,
      })
      this.#failed = undefined
      return this.#origin
    } catch (error) {
      this.#failed = { error, reason: trustReason(error), at: Date.now() }
      throw error
    }
  }
}

/** A standalone function, because the runtime's `fetch` throws if it is called as a method of another object. */
const sendRequest: typeof fetch = (input, init) => fetch(input, init)

function keysOf({ keys, verifiedUntil }: VerifiedOrigin): TrustedKeys {
  return { channelKey: keys.channel, storageKey: keys.storage, verifiedUntil }
}
