import { MINUTE_MS } from '../../shared/durations.ts'
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { joinBytes } from '../../shared/encoding/bytes.ts'
import { SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import {
  type ChannelPublicKey,
  importChannelKey,
  ResponseDecryptionError,
  type SealedCall,
  sealCall,
} from '../../shared/envelope/seal.ts'
import { SEALED_REQUEST_LIFETIME_MS } from '../../shared/limits.ts'
import { PAD_BYTE } from '../../shared/wire/sealed-http.ts'
import { type Env, settingsOf } from '../env.ts'
import { OriginUnavailableError } from './origin-unavailable-error.ts'
import type { TrustObject } from './trust-object.ts'

type SealingKeys = {
  channel: ChannelPublicKey
  storage: ChannelPublicKey
  verifiedUntil: number
}

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

/** Returns the single object that verifies the origin. */
export function originTrust(env: Env): TrustObject {
  return env.ORIGIN_TRUST_OBJECT.getByName('origin')
}

async function fetchKeys(env: Env, stale: boolean): Promise<SealingKeys> {
  const trust = originTrust(env)
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

export type Freshness = { request_id: string; issued_at: number; expires_at: number }

type OriginCall<Answer> = {
  path: string
  /**
   * Builds the plaintext of the call. A retry with another key reuses the freshness, because the retry must be the same
   * request.
   */
  plaintext: (freshness: Freshness) => Uint8Array<ArrayBuffer>
  /** Aborts the wait for a response. The origin may already have started to process the call. */
  signal: AbortSignal
  onBytes?: () => void
  contentType: string
  read: (response: Response, sealed: SealedCall) => Promise<Answer>
}

const UNKNOWN_CHANNEL_KEY = 421

/**
 * Encrypts a call to the origin's verified key in PSK mode, and sends it.
 * Retries once, and only if the origin replies that it has a different key and could not decrypt the call. That reply
 * is not encrypted, so an intermediary that forwarded the call could forge it. The retry therefore has the same request
 * ID: an origin that accepted the first attempt rejects the second, and that failure does not count as unsent
 * (`docs/decisions/0030`).
 * @throws {OriginUnavailableError}
 */
export async function sealedExchange<Answer>(
  env: Env,
  now: () => number,
  call: OriginCall<Answer>,
): Promise<Answer> {
  const keys = await requireSealingKeys(env, now(), false)
  const freshness = freshnessAt(now())
  try {
    const first = await send(env, freshness, keys, call)
    if (first !== 'unknown_key') return first
    const renewed = await sealingKeys(env, now(), true)
    const second = await send(env, freshness, renewed, call)
    if (second !== 'unknown_key') return second
  } catch (error) {
    throw new OriginUnavailableError(reasonOf(error), { cause: error })
  }
  throw new OriginUnavailableError('the origin rejected its own verified key')
}

function freshnessAt(now: number): Freshness {
  return {
    request_id: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issued_at: now,
    expires_at: now + SEALED_REQUEST_LIFETIME_MS,
  }
}

/** @throws {OriginUnavailableError} if the origin is not verified */
export async function requireSealingKeys(
  env: Env,
  now: number,
  stale: boolean,
): Promise<SealingKeys> {
  try {
    return await sealingKeys(env, now, stale)
  } catch (error) {
    throw new OriginUnavailableError(reasonOf(error), { cause: error, isUnsent: true })
  }
}

async function send<Answer>(
  env: Env,
  freshness: Freshness,
  keys: SealingKeys,
  { path, plaintext, signal, onBytes, contentType, read }: OriginCall<Answer>,
): Promise<Answer | 'unknown_key'> {
  const { ORIGIN_URL, CHANNEL_PSK } = settingsOf(env)
  const psk = decodeBase64url(CHANNEL_PSK)
  if (!psk) throw new Error('CHANNEL_PSK is not base64url')
  const text = plaintext(freshness)
  const sealed = await sealCall(keys.channel, { method: 'POST', path, plaintext: text, psk })
  const response = await fetch(new URL(path, ORIGIN_URL), {
    method: 'POST',
    body: sealed.body,
    headers: { 'content-type': SEALED_CONTENT_TYPE },
    redirect: 'manual',
    signal,
  })
  onBytes?.()
  if (response.status === UNKNOWN_CHANNEL_KEY) {
    await response.body?.cancel()
    return 'unknown_key'
  }
  if (response.headers.get('content-type') !== contentType) {
    await response.body?.cancel()
    throw new Error(`unsealed response with status ${response.status}`)
  }
  return read(response, sealed)
}

/**
 * `sealedExchange` with a single message as the response.
 * @throws {OriginUnavailableError}
 */
export function sealedCall(
  env: Env,
  now: () => number,
  call: Omit<OriginCall<never>, 'contentType' | 'read'>,
): Promise<Uint8Array<ArrayBuffer>> {
  return sealedExchange(env, now, {
    ...call,
    contentType: SEALED_CONTENT_TYPE,
    read: async (response, sealed) => sealed.open(await readUnpadded(response, call.onBytes)),
  })
}

/** Reads the response body, and removes the padding that precedes the content. */
async function readUnpadded(
  response: Response,
  onBytes: (() => void) | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    onBytes?.()
    const from = chunks.length > 0 ? 0 : chunk.findIndex((byte) => byte !== PAD_BYTE)
    if (from >= 0) chunks.push(chunk.subarray(from))
  }
  return joinBytes(...chunks)
}

/** Returns the reason for the log. It contains error names and statuses, but no content of the request. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseDecryptionError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : 'unknown'
}
