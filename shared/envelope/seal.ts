import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { joinBytes } from '../encoding/bytes.ts'
import { SEALED_RESPONSE_MAX_BYTES } from '../limits.ts'
import {
  bindingAad,
  RESPONSE_CONTEXT,
  RESPONSE_KEY_BYTES,
  CHANNEL_INFO,
  encodeHeader,
  ENVELOPE_VERSION,
  KEY_ID_BYTES,
  MODE_BASE,
  messageNonce,
  MODE_PSK,
  PSK_ID_BYTES,
  PSK_ID_PURPOSE,
  requestAad,
  type StorageBinding,
  STORAGE_INFO,
  STREAM_CONTEXT,
  STREAM_LENGTH_BYTES,
  STREAM_START_BYTES,
} from './format.ts'

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes128Gcm(),
})
const encoder = new TextEncoder()

/** A response could not be decrypted: it belongs to another request, or its sender does not have the private key. */
export class ResponseDecryptionError extends Error {
  constructor() {
    super('the response cannot be decrypted with the key of this request')
    this.name = 'ResponseDecryptionError'
  }
}

/** Type of a public key. `CryptoKey` is not a global type in Node. */
type PublicKey = Awaited<ReturnType<typeof suite.kem.deserializePublicKey>>
export type ChannelPublicKey = { keyId: Uint8Array<ArrayBuffer>; publicKey: PublicKey }

/** @param raw uncompressed P-256 point, 65 bytes */
export async function importChannelKey(raw: Uint8Array<ArrayBuffer>): Promise<ChannelPublicKey> {
  const publicKey = await suite.kem.deserializePublicKey(raw)
  return { keyId: (await sha256(raw)).subarray(0, KEY_ID_BYTES), publicKey }
}

export type SealedCall = {
  /** Body of the request, to be sent with content type `SEALED_CONTENT_TYPE`. */
  body: Uint8Array<ArrayBuffer>
  /** @throws {ResponseDecryptionError} */
  open: (response: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>
  /**
   * Decrypts the messages of a stream as they arrive.
   * @throws {ResponseDecryptionError} also if the stream ends within a message, or a message is too long
   */
  openStream: (
    stream: AsyncIterable<Uint8Array>,
  ) => AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>
}

type SealOptions = {
  method: string
  path: string
  plaintext: Uint8Array<ArrayBuffer>
  /** Pre-shared key of the edge and the origin, 32 bytes. If absent, the call is sealed in base mode. */
  psk?: Uint8Array<ArrayBuffer>
}

export async function sealCall(key: ChannelPublicKey, options: SealOptions): Promise<SealedCall> {
  const { method, path, plaintext, psk } = options
  const pskId = psk
    ? (await sha256(joinBytes(encoder.encode(PSK_ID_PURPOSE), psk))).subarray(0, PSK_ID_BYTES)
    : new Uint8Array(PSK_ID_BYTES)
  const header = encodeHeader({ mode: psk ? MODE_PSK : MODE_BASE, keyId: key.keyId, pskId })
  const sender = await suite.createSenderContext({
    recipientPublicKey: key.publicKey,
    info: encoder.encode(CHANNEL_INFO),
    ...(psk ? { psk: { id: pskId, key: psk } } : {}),
  })
  const ciphertext = await sender.seal(plaintext, requestAad(method, path, header))
  const enc = new Uint8Array(sender.enc)
  const secretFor = (purpose: string) => sender.export(encoder.encode(purpose), RESPONSE_KEY_BYTES)
  return {
    body: joinBytes(header, enc, new Uint8Array(ciphertext)),
    open: async (response) => {
      const start = response.subarray(0, STREAM_START_BYTES)
      const { iv, decrypt } = await responseKey(await secretFor(RESPONSE_CONTEXT), enc, start)
      return decrypt(response.subarray(STREAM_START_BYTES), iv)
    },
    openStream: (stream) => openStream(stream, () => secretFor(STREAM_CONTEXT), enc),
  }
}

async function* openStream(
  stream: AsyncIterable<Uint8Array>,
  secret: () => Promise<ArrayBuffer>,
  enc: Uint8Array<ArrayBuffer>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let key: ResponseKey | undefined
  let messages = 0
  let chunks: Uint8Array[] = []
  let held = 0
  let needed = STREAM_START_BYTES
  for await (const chunk of stream) {
    chunks.push(chunk)
    held += chunk.length
    if (held < needed) continue
    let bytes = joinBytes(...chunks)
    if (!key) {
      key = await responseKey(await secret(), enc, bytes.subarray(0, STREAM_START_BYTES))
      bytes = bytes.subarray(STREAM_START_BYTES)
    }
    for (;;) {
      needed = STREAM_LENGTH_BYTES
      if (bytes.length < needed) break
      const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
      // The length is not authenticated, and an incomplete message is kept in memory.
      if (length > SEALED_RESPONSE_MAX_BYTES) throw new ResponseDecryptionError()
      needed += length
      if (bytes.length < needed) break
      const nonce = messageNonce(key.iv, messages++)
      yield await key.decrypt(bytes.subarray(STREAM_LENGTH_BYTES, needed), nonce)
      bytes = bytes.subarray(needed)
    }
    chunks = [bytes]
    held = bytes.length
  }
  if (!key || held > 0) throw new ResponseDecryptionError()
}

type ResponseKey = {
  iv: Uint8Array<ArrayBuffer>
  decrypt: (
    ciphertext: Uint8Array<ArrayBuffer>,
    iv: Uint8Array<ArrayBuffer>,
  ) => Promise<Uint8Array<ArrayBuffer>>
}

/** @param start version and nonce of the response */
async function responseKey(
  secret: ArrayBuffer,
  enc: Uint8Array<ArrayBuffer>,
  start: Uint8Array<ArrayBuffer>,
): Promise<ResponseKey> {
  if (start[0] !== ENVELOPE_VERSION) throw new ResponseDecryptionError()
  const salt = joinBytes(enc, start.subarray(1))
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const derive = async (info: string, bytes: number) =>
    crypto.subtle.deriveBits(
      { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(info) },
      material,
      bytes * 8,
    )
  const [rawKey, iv] = await Promise.all([derive('key', RESPONSE_KEY_BYTES), derive('nonce', 12)])
  const key = await crypto.subtle.importKey('raw', rawKey, 'AES-GCM', false, ['decrypt'])
  return {
    iv: new Uint8Array(iv),
    decrypt: async (ciphertext, nonce) => {
      try {
        const algorithm = { name: 'AES-GCM', iv: nonce }
        return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, ciphertext))
      } catch {
        throw new ResponseDecryptionError()
      }
    },
  }
}

/**
 * Seals a usage key to the origin and binds it to its owner and to one trigger or account link. Layout: key ID (16 bytes),
 * encapsulated key (65 bytes), ciphertext.
 */
export async function sealForStorage(
  key: ChannelPublicKey,
  secret: string,
  binding: StorageBinding,
): Promise<Uint8Array<ArrayBuffer>> {
  const sealed = await suite.seal(
    { recipientPublicKey: key.publicKey, info: encoder.encode(STORAGE_INFO) },
    encoder.encode(secret),
    bindingAad(binding),
  )
  return joinBytes(key.keyId, new Uint8Array(sealed.enc), new Uint8Array(sealed.ct))
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
