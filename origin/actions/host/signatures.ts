import type { SigningOptions } from 'node:crypto'
import { constants, createHmac, sign, timingSafeEqual, verify } from 'node:crypto'
import { lookAtTheClock } from '../ethers/cryptography/digests.ts'
import { HASHES } from './digest.ts'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'
import { keyObject, keyOfBytes, keyOfJwk } from './key-material.ts'
import type { RunHooks } from './run-functions.ts'

/** How the library is told of an algorithm of Web Crypto; HMAC has no key object and is not among them. */
const OPTIONS: Record<string, SigningOptions> = {
  Ed25519: {},
  ECDSA: { dsaEncoding: 'ieee-p1363' },
  'RSASSA-PKCS1-v1_5': { padding: constants.RSA_PKCS1_PADDING },
  'RSA-PSS': { padding: constants.RSA_PKCS1_PSS_PADDING },
}

/**
 * Keys, signatures and MACs of crypto.subtle (Web Crypto). Nothing is kept from one call to the next: the guest holds
 * its keys and lends their bytes. Each looks at the clock first, for one RSA signature may take a thirtieth of a second.
 */
export function signatureFunctions(hooks: () => RunHooks): HostFunctions {
  const look = () => lookAtTheClock(() => hooks().mustStop())
  return {
    webKeyOfBytes: hostFunction(['text', 'text', 'bytes'], 'bytes', (kind, format, bytes) => {
      look()
      return keyOfBytes(kind, format, bytes)
    }),

    webKeyOfJwk: hostFunction(['text', 'text', 'json'], 'bytes', (kind, type, jwk) => {
      look()
      return keyOfJwk(kind, type, jwk)
    }),

    /** JSON of {modulusLength: bits, publicExponent: bytes, most significant first}. */
    webRsaKey: hostFunction(['text', 'bytes'], 'text', (type, der) => {
      const { modulusLength, publicExponent = 0n } = keyObject(type, der).asymmetricKeyDetails ?? {}
      const hex = publicExponent.toString(16)
      const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
      return JSON.stringify({ modulusLength, publicExponent: [...bytes] })
    }),

    webSign: hostFunction(
      ['text', 'text', 'number', 'bytes', 'bytes'],
      'bytes',
      (name, hash, saltLength, key, data) => {
        look()
        if (name === 'HMAC') return mac(hash, key, data)
        const input = { ...inDer('pkcs8', key), ...OPTIONS[name], saltLength }
        try {
          return sign(HASHES[hash] ?? null, data, input)
        } catch {
          throw new Error('the key cannot make this signature')
        }
      },
    ),

    /** A MAC is compared in a time that does not say where it differs. */
    webVerify: hostFunction(
      ['text', 'text', 'number', 'bytes', 'bytes', 'bytes'],
      'boolean',
      (name, hash, saltLength, key, signature, data) => {
        look()
        if (name === 'HMAC') {
          const expected = mac(hash, key, data)
          return signature.length === expected.length && timingSafeEqual(signature, expected)
        }
        const input = { ...inDer('spki', key), ...OPTIONS[name], saltLength }
        try {
          return verify(HASHES[hash] ?? null, data, input, signature)
        } catch {
          return false
        }
      },
    ),
  }
}

/** Read for this one call, and freed with it: a key object would stay until it is collected. */
function inDer<T extends 'pkcs8' | 'spki'>(type: T, { buffer, byteOffset, length }: Uint8Array) {
  return { key: Buffer.from(buffer, byteOffset, length), format: 'der', type } as const
}

function mac(hash: string, key: Uint8Array, data: Uint8Array): Buffer {
  const algorithm = HASHES[hash]
  if (algorithm === undefined) throw new Error('there is no such digest')
  return createHmac(algorithm, key).update(data).digest()
}
