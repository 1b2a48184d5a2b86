import { DurableObject } from 'cloudflare:workers'
import { type Env, settingsOf } from '../env.ts'
import {
  trustReason,
  type TrustHealth,
  type TrustReason,
  unverified,
  verified,
} from './trust-health.ts'
import { type VerifiedOrigin, verifyOrigin } from './verify-origin.ts'

/** Public keys that the origin's evidence names: uncompressed points of P-256. */
export type TrustedKeys = {
  channelKey: Uint8Array
  storageKey: Uint8Array
  /** Unix milliseconds. */
  verifiedUntil: number
}

/** Keys are verified anew this long before they have to be, so that no run waits for it. */
const AHEAD_MS = 10 * 60 * 1000
/** A verification is not begun again sooner than this, however many objects ask. */
const REVERIFY_MIN_MS = 1_000

/**
 * One object that verifies the origin before anything is sealed to it, and again within the hour. It fails
 * closed: without verified keys there is nothing to seal to. It stores nothing: after an eviction it verifies anew.
 */
export class OriginTrust extends DurableObject<Env> {
  #origin: VerifiedOrigin | undefined
  #verifying: Promise<VerifiedOrigin> | undefined
  /** The last try, where it failed. */
  #failed: { error: unknown; reason: TrustReason; at: number } | undefined

  /**
   * The keys to seal to.
   * @param stale the caller met an origin that does not know the key it was given: verify anew
   * @throws {Error} when the origin can not be reached or its evidence is refused
   */
  async keys(stale: boolean): Promise<TrustedKeys> {
    const now = Date.now()
    const origin = this.#current(now)
    if (origin && !(stale && now - origin.verifiedAt > REVERIFY_MIN_MS)) {
      if (origin.verifiedUntil - now < AHEAD_MS)
        this.ctx.waitUntil(this.#verifiedAnew(now).catch(() => undefined))
      return keysOf(origin)
    }
    return keysOf(await this.#verifiedAnew(now))
  }

  /** What is known now, without asking anybody. */
  async health(): Promise<TrustHealth> {
    const origin = this.#current(Date.now())
    if (origin) return verified(origin, this.#failed?.reason)
    return unverified(this.#failed?.reason ?? 'not_verified_yet')
  }

  #current(now: number): VerifiedOrigin | undefined {
    return this.#origin && this.#origin.verifiedUntil > now ? this.#origin : undefined
  }

  async #verifiedAnew(now: number): Promise<VerifiedOrigin> {
    // A clock that was set back must not make it wait.
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
      this.#origin = await verifyOrigin({ settings, fetch: sendRequest, random, now: Date.now })
      this.#failed = undefined
      return this.#origin
    } catch (error) {
      this.#failed = { error, reason: trustReason(error), at: Date.now() }
      throw error
    }
  }
}

/** Called as it is, `fetch` of the runtime wants no other `this`. */
const sendRequest: typeof fetch = (input, init) => fetch(input, init)

function keysOf({ keys, verifiedUntil }: VerifiedOrigin): TrustedKeys {
  return { channelKey: keys.channel, storageKey: keys.storage, verifiedUntil }
}
