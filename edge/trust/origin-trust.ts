import { DurableObject } from 'cloudflare:workers'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../shared/limits.ts'
import { CHANNEL_KEY_PATH, STORAGE_KEY_PATH } from '../../shared/wire/sealed.ts'
import { type Env, settingsOf } from '../env.ts'
import { type VerifiedKeys, verifyPinned } from './pinned-policy.ts'

export type TrustedKeys = VerifiedKeys & { verifiedUntil: number }

/** Keys are verified anew this long before they have to be, so that no run waits for it. */
const AHEAD_MS = 10 * 60 * 1000
/** A verification is not begun again sooner than this, however many objects ask. */
const REVERIFY_MIN_MS = 1_000
const EVIDENCE_TIMEOUT_MS = 10_000
/** A key file is a few hundred bytes; a host that sends more is not our origin. */
const EVIDENCE_MAX_BYTES = 16 * 1024

/**
 * One object that verifies the origin before anything is sealed to it, and again within the hour. It fails
 * closed: without verified keys there is nothing to seal to.
 */
export class OriginTrust extends DurableObject<Env> {
  #trusted: TrustedKeys | undefined
  #verifying: Promise<TrustedKeys> | undefined
  #verifiedAt = Number.NEGATIVE_INFINITY

  /**
   * The keys to seal to.
   * @param stale the caller met an origin that does not know the key it was given: verify anew
   * @throws {Error} when the origin can not be reached or its evidence is refused
   */
  async keys(stale: boolean): Promise<TrustedKeys> {
    const now = Date.now()
    const good = this.#trusted && this.#trusted.verifiedUntil > now
    if (this.#trusted && good && !(stale && now - this.#verifiedAt > REVERIFY_MIN_MS)) {
      if (this.#trusted.verifiedUntil - now < AHEAD_MS)
        this.ctx.waitUntil(this.#verifiedAnew().catch(() => undefined))
      return this.#trusted
    }
    return this.#verifiedAnew()
  }

  #verifiedAnew(): Promise<TrustedKeys> {
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined
    })
    return this.#verifying
  }

  async #verify(): Promise<TrustedKeys> {
    const settings = settingsOf(this.env)
    const [channelKeyFile, storageKeyFile] = await Promise.all([
      fetchFile(new URL(CHANNEL_KEY_PATH, settings.ORIGIN_URL)),
      fetchFile(new URL(STORAGE_KEY_PATH, settings.ORIGIN_URL)),
    ])
    const keys = await verifyPinned(
      { channelKeyFile, storageKeyFile },
      {
        channelKeySha256: settings.CHANNEL_KEY_SHA256,
        storageKeySha256: settings.STORAGE_KEY_SHA256,
      },
    )
    this.#verifiedAt = Date.now()
    this.#trusted = { ...keys, verifiedUntil: this.#verifiedAt + CHANNEL_KEY_MAX_AGE_MS }
    return this.#trusted
  }
}

async function fetchFile(url: URL): Promise<Uint8Array> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(EVIDENCE_TIMEOUT_MS),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url.pathname} answered ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    total += chunk.length
    if (total > EVIDENCE_MAX_BYTES) throw new Error(`${url.pathname} is too long`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
