/**
 * Receiving side of HPKE (RFC 9180) with node:crypto: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, in base and
 * PSK modes. Supports one message per context. The functions are synchronous, about ten times faster than WebCrypto,
 * and named as in the RFC. They are tested against the RFC's test vectors (A.3) and against @hpke/core.
 */
import { decryptGcm, GCM_NONCE_BYTES } from '../keys/aes-gcm.ts'
import { hmacSha256 } from '../keys/hmac-sha256.ts'
import type { P256Key } from '../keys/p256-key.ts'

const KEM_ID = 0x0010
const KDF_ID = 0x0001
const AEAD_ID = 0x0001
const KEY_BYTES = 16
const HASH_BYTES = 32

const KEM_SUITE = Buffer.concat([Buffer.from('KEM'), u16(KEM_ID)])
const HPKE_SUITE = Buffer.concat([Buffer.from('HPKE'), u16(KEM_ID), u16(KDF_ID), u16(AEAD_ID)])
const VERSION = Buffer.from('HPKE-v1')
const EMPTY = Buffer.alloc(0)

export type Psk = { id: Uint8Array; key: Uint8Array }

/** Receiver context for one message. `export` derives secrets that only the sender and the receiver can compute. */
type ReceiverContext = {
  open(ciphertext: Uint8Array, aad: Uint8Array): Buffer
  export(context: Uint8Array, length: number): Buffer
}

/**
 * Sets up a receiver context by SetupBaseR, or by SetupPSKR if a pre-shared key is given.
 * @throws {Error} if `enc` is not a point on the curve; the context's `open` throws if the ciphertext is not authentic
 */
export function setupReceiver(
  enc: Uint8Array,
  key: P256Key,
  info: Uint8Array,
  psk?: Psk,
): ReceiverContext {
  const shared = decap(enc, key)
  const context = keyScheduleContext(info, psk)
  const secret = labeledExtract(HPKE_SUITE, shared, 'secret', psk?.key ?? EMPTY)
  const aeadKey = labeledExpand(HPKE_SUITE, secret, 'key', context, KEY_BYTES)
  const nonce = labeledExpand(HPKE_SUITE, secret, 'base_nonce', context, GCM_NONCE_BYTES)
  const exporter = labeledExpand(HPKE_SUITE, secret, 'exp', context, HASH_BYTES)
  return {
    open: (ciphertext, aad) => decryptGcm({ key: aeadKey, nonce, associatedData: aad }, ciphertext),
    export: (exporterContext, length) =>
      labeledExpand(HPKE_SUITE, exporter, 'sec', exporterContext, length),
  }
}

function keyScheduleContext(info: Uint8Array, psk: Psk | undefined): Buffer {
  const pskIdHash = labeledExtract(HPKE_SUITE, EMPTY, 'psk_id_hash', psk?.id ?? EMPTY)
  const infoHash = labeledExtract(HPKE_SUITE, EMPTY, 'info_hash', info)
  return Buffer.concat([Uint8Array.of(psk ? 1 : 0), pskIdHash, infoHash])
}

function decap(enc: Uint8Array, key: P256Key): Buffer {
  const dh = key.ecdh.computeSecret(enc)
  const context = Buffer.concat([enc, key.publicKey])
  const prk = labeledExtract(KEM_SUITE, EMPTY, 'eae_prk', dh)
  return labeledExpand(KEM_SUITE, prk, 'shared_secret', context, HASH_BYTES)
}

function labeledExtract(suite: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array): Buffer {
  return hmacSha256(salt, VERSION, suite, Buffer.from(label), ikm)
}

function labeledExpand(
  suite: Buffer,
  prk: Buffer,
  label: string,
  info: Uint8Array,
  length: number,
): Buffer {
  return hkdfExpand(
    prk,
    Buffer.concat([u16(length), VERSION, suite, Buffer.from(label), info]),
    length,
  )
}

/** HKDF-Expand with SHA-256 (RFC 5869, 2.3). */
export function hkdfExpand(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = []
  let block: Buffer = EMPTY
  for (let n = 1; blocks.length * HASH_BYTES < length; n++) {
    block = hmacSha256(prk, block, info, Uint8Array.of(n))
    blocks.push(block)
  }
  return Buffer.concat(blocks).subarray(0, length)
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}
