import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  bindingAad,
  RESPONSE_CONTEXT,
  RESPONSE_KEY_BYTES,
  RESPONSE_NONCE_BYTES,
  CHANNEL_INFO,
  ENC_BYTES,
  ENVELOPE_VERSION,
  type EnvelopeMode,
  KEY_ID_BYTES,
  messageNonce,
  MODE_PSK,
  parseHeader,
  parseSealedRequest,
  PSK_ID_BYTES,
  PSK_ID_PURPOSE,
  requestAad,
  STORAGE_INFO,
  type StorageBinding,
  STREAM_CONTEXT,
  STREAM_LENGTH_BYTES,
} from '../../shared/envelope/format.ts'
import { encryptGcm, GCM_NONCE_BYTES } from '../keys/aes-gcm.ts'
import { hmacSha256 } from '../keys/hmac-sha256.ts'
import type { P256Key } from '../keys/p256-key.ts'
import { hkdfExpand, type Psk, setupReceiver } from './hpke.ts'

type EnvelopeFailure =
  | { reason: 'malformed' }
  | { reason: 'unknown_key'; keyId: string }
  | { reason: 'unknown_psk' }
  | { reason: 'not_authentic' }

/** Thrown if an envelope is rejected. The error reveals nothing about the content. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
  readonly failure: EnvelopeFailure
  constructor(failure: EnvelopeFailure) {
    super(`sealed request rejected: ${failure.reason}`)
    this.failure = failure
  }
}

export type OpenedRequest = {
  mode: EnvelopeMode
  plaintext: Buffer
  sealResponse: (plaintext: Uint8Array) => Buffer
  /** Starts a stream of messages in response. */
  sealStream: () => SealedStream
}

type SealedStream = {
  /** Bytes that precede the first message. */
  start: Buffer
  /** Seals the next message. */
  seal: (plaintext: Uint8Array) => Buffer
}

export type ChannelKeys = { keyFor(keyId: string): P256Key | undefined; psk: Uint8Array }

/** Returns the ID of a public key in sealed requests: the first 16 bytes of the key's SHA-256 hash, in hex. */
export function keyIdOf(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'buffer').subarray(0, KEY_ID_BYTES).toString('hex')
}

/**
 * Checks the first `HEADER_BYTES` of an envelope before the rest is read.
 * @throws {EnvelopeError} with the reason malformed, unknown_key or unknown_psk
 */
export function checkHeader(
  keys: ChannelKeys,
  bytes: Uint8Array,
): { mode: EnvelopeMode; key: P256Key; psk: Psk | undefined } {
  const header = parseHeader(bytes)
  if (!header) throw new EnvelopeError({ reason: 'malformed' })
  const { mode, pskId } = header
  const keyId = Buffer.from(header.keyId).toString('hex')
  const key = keys.keyFor(keyId)
  if (!key) throw new EnvelopeError({ reason: 'unknown_key', keyId })
  return { mode, key, psk: mode === MODE_PSK ? requirePsk(pskId, keys.psk) : undefined }
}

/**
 * The method and path must be those of the HTTP request that contained the sealed request.
 * @throws {EnvelopeError}
 */
export function openRequest(
  keys: ChannelKeys,
  method: string,
  path: string,
  bytes: Uint8Array,
): OpenedRequest {
  const request = parseSealedRequest(bytes)
  if (!request) throw new EnvelopeError({ reason: 'malformed' })
  const { key, psk } = checkHeader(keys, request.header)
  try {
    const context = setupReceiver(request.enc, key, Buffer.from(CHANNEL_INFO), psk)
    const aad = requestAad(method, path, request.header)
    const plaintext = context.open(request.ciphertext, aad)
    const enc = Buffer.from(request.enc)
    const exported = (purpose: string) => context.export(Buffer.from(purpose), RESPONSE_KEY_BYTES)
    return {
      mode: request.mode,
      plaintext,
      sealResponse: (text) => encryptResponse(exported(RESPONSE_CONTEXT), enc, text),
      sealStream: () => startStream(exported(STREAM_CONTEXT), enc),
    }
  } catch {
    throw new EnvelopeError({ reason: 'not_authentic' })
  }
}

function requirePsk(id: Uint8Array, key: Uint8Array): Psk {
  const named = Buffer.concat([Buffer.from(PSK_ID_PURPOSE), key])
  const known = hash('sha256', named, 'buffer').subarray(0, PSK_ID_BYTES)
  if (!timingSafeEqual(known, id)) throw new EnvelopeError({ reason: 'unknown_psk' })
  return { id: known, key }
}

function encryptResponse(secret: Buffer, enc: Buffer, plaintext: Uint8Array): Buffer {
  const { start, key, nonce } = startResponse(secret, enc)
  return Buffer.concat([start, encryptGcm({ key, nonce, associatedData: NO_DATA }, plaintext)])
}

function startStream(secret: Buffer, enc: Buffer): SealedStream {
  const { start, key, nonce } = startResponse(secret, enc)
  let messages = 0
  return {
    start,
    seal: (plaintext) => {
      const own = messageNonce(nonce, messages++)
      const encrypted = encryptGcm({ key, nonce: own, associatedData: NO_DATA }, plaintext)
      const length = Buffer.alloc(STREAM_LENGTH_BYTES)
      length.writeUInt32BE(encrypted.length)
      return Buffer.concat([length, encrypted])
    },
  }
}

const NO_DATA = Buffer.alloc(0)

/** Derives a fresh key and nonce, as in RFC 9458, section 4.4. */
function startResponse(secret: Buffer, enc: Buffer): { start: Buffer; key: Buffer; nonce: Buffer } {
  const random = randomBytes(RESPONSE_NONCE_BYTES)
  const prk = hmacSha256(Buffer.concat([enc, random]), secret)
  return {
    start: Buffer.concat([Uint8Array.of(ENVELOPE_VERSION), random]),
    key: hkdfExpand(prk, Buffer.from('key'), RESPONSE_KEY_BYTES),
    nonce: hkdfExpand(prk, Buffer.from('nonce'), GCM_NONCE_BYTES),
  }
}

/** @throws {EnvelopeError} also if the key was sealed for another trigger, account link or owner */
export function openStoredUsageKey(
  key: P256Key,
  sealed: Uint8Array,
  binding: StorageBinding,
): Buffer {
  const keyId = Buffer.from(sealed.subarray(0, KEY_ID_BYTES)).toString('hex')
  if (keyId !== keyIdOf(key.publicKey)) throw new EnvelopeError({ reason: 'unknown_key', keyId })
  try {
    const enc = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + ENC_BYTES)
    const context = setupReceiver(enc, key, Buffer.from(STORAGE_INFO))
    const ciphertext = sealed.subarray(KEY_ID_BYTES + ENC_BYTES)
    return context.open(ciphertext, bindingAad(binding))
  } catch {
    throw new EnvelopeError({ reason: 'not_authentic' })
  }
}
