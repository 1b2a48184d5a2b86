/**
 * The byte format of the sealed channel (docs/decisions/0001): HPKE (RFC 9180) with DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256 and AES-128-GCM, the suite of the RFC's test vectors A.3.
 *
 *     request   version 1 · mode 1 · key id 16 · psk id 16 · enc 65 · ciphertext
 *     response  version 1 · nonce 16 · ciphertext
 *     stream    version 1 · nonce 16 · (length 4 · ciphertext)*
 *
 * Mode 1 (PSK) is for the edge. Only the edge may specify run IDs and client addresses. Mode 0 (base) is for clients
 * that encrypt end to end. The response is encrypted under a key exported from the request's HPKE context (as in
 * RFC 9458, section 4.4). Only the requester can decrypt the response, which is valid for that request alone. A stream
 * is a response of several messages, which are sealed under consecutive nonces, so none of them can be reordered or
 * repeated. A truncated stream is detected only by its content.
 */

import { joinBytes } from '../encoding/bytes.ts'

export const ENVELOPE_VERSION = 1
export const MODE_BASE = 0
export const MODE_PSK = 1
export type EnvelopeMode = typeof MODE_BASE | typeof MODE_PSK

export const KEY_ID_BYTES = 16
export const PSK_ID_BYTES = 16
export const ENC_BYTES = 65
export const HEADER_BYTES = 2 + KEY_ID_BYTES + PSK_ID_BYTES
export const REQUEST_OVERHEAD_BYTES = HEADER_BYTES + ENC_BYTES + 16
export const RESPONSE_NONCE_BYTES = 16
export const RESPONSE_KEY_BYTES = 16

export const HPKE_SUITE = 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'

export const SEALED_CONTENT_TYPE = 'application/vnd.svc.sealed'
export const SEALED_STREAM_CONTENT_TYPE = 'application/vnd.svc.sealed-stream'

export const STREAM_START_BYTES = 1 + RESPONSE_NONCE_BYTES
export const STREAM_LENGTH_BYTES = 4

/** HPKE `info` of a request. It binds the key schedule to this protocol and version. */
export const CHANNEL_INFO = 'svc/channel/v1'
/**
 * HPKE `info` of a stored key. It differs from the `info` of a request, so that a stored key cannot be replayed as a
 * request.
 */
export const STORAGE_INFO = 'svc/seal/v1'
export const RESPONSE_CONTEXT = 'svc/answer/v1'
export const STREAM_CONTEXT = 'svc/stream/v1'
/** Prefix that is hashed together with a pre-shared key, for an ID that does not reveal the key. */
export const PSK_ID_PURPOSE = 'svc/psk-id/v1'

const encoder = new TextEncoder()

type RequestHeader = { mode: EnvelopeMode; keyId: Uint8Array; pskId: Uint8Array }

type SealedRequest = RequestHeader & {
  header: Uint8Array
  enc: Uint8Array
  ciphertext: Uint8Array
}

export function encodeHeader({ mode, keyId, pskId }: RequestHeader): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER_BYTES)
  header[0] = ENVELOPE_VERSION
  header[1] = mode
  header.set(keyId, 2)
  header.set(pskId, 2 + KEY_ID_BYTES)
  return header
}

/** Undefined if the bytes are too short or have an unknown version or mode. */
export function parseHeader(bytes: Uint8Array): RequestHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0] !== ENVELOPE_VERSION) return undefined
  const mode = bytes[1]
  if (mode !== MODE_BASE && mode !== MODE_PSK) return undefined
  return {
    mode,
    keyId: bytes.subarray(2, 2 + KEY_ID_BYTES),
    pskId: bytes.subarray(2 + KEY_ID_BYTES, HEADER_BYTES),
  }
}

/** Undefined if the bytes are too short or have an unknown version or mode. */
export function parseSealedRequest(bytes: Uint8Array): SealedRequest | undefined {
  const parsed = bytes.length < REQUEST_OVERHEAD_BYTES ? undefined : parseHeader(bytes)
  if (!parsed) return undefined
  return {
    ...parsed,
    header: bytes.subarray(0, HEADER_BYTES),
    enc: bytes.subarray(HEADER_BYTES, HEADER_BYTES + ENC_BYTES),
    ciphertext: bytes.subarray(HEADER_BYTES + ENC_BYTES),
  }
}

/**
 * Returns the additional authenticated data of a request, which binds method, path and header, so that none of them can
 * be replaced.
 */
export function requestAad(
  method: string,
  path: string,
  header: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return joinBytes(encoder.encode(`${method} ${path}\n`), header)
}

/** Returns the additional authenticated data that binds a stored usage key to one trigger of one owner. */
export function storageAad(triggerId: string, ownerId: string): Uint8Array<ArrayBuffer> {
  return joinBytes(encoder.encode(JSON.stringify([STORAGE_INFO, triggerId, ownerId])))
}

/** Purpose of a usage key that is stored for an account link. It is never equal to `STORAGE_INFO`. */
const LINK_PURPOSE = 'svc/account-link/v1'

/** Returns the additional authenticated data that binds a stored usage key to one account link of one owner. */
function linkAad(linkId: string, ownerId: string): Uint8Array<ArrayBuffer> {
  return joinBytes(encoder.encode(JSON.stringify([LINK_PURPOSE, linkId, ownerId])))
}

/**
 * What a stored usage key is bound to: a trigger or an account link, and its owner. A key that is stored for one purpose
 * cannot be opened for the other, whatever the IDs are.
 */
export type StorageBinding =
  | { triggerId: string; ownerId: string }
  | { linkId: string; ownerId: string }

export function bindingAad(binding: StorageBinding): Uint8Array<ArrayBuffer> {
  return 'linkId' in binding
    ? linkAad(binding.linkId, binding.ownerId)
    : storageAad(binding.triggerId, binding.ownerId)
}

/** Returns the nonce of a message in a stream: the stream's nonce XOR the message's number, which starts at 0. */
export function messageNonce(nonce: Uint8Array, message: number): Uint8Array<ArrayBuffer> {
  const own = Uint8Array.from(nonce)
  const view = new DataView(own.buffer, own.length - 4)
  view.setUint32(0, view.getUint32(0) ^ message)
  return own
}
