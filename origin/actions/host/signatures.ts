import type { SigningOptions } from 'node:crypto'
import { constants, createHmac, sign, timingSafeEqual, verify } from 'node:crypto'
import { requireTimeLeft } from '../ethers/cryptography/digests.ts'
import { NODE_HASHES } from './digest.ts'
import { type HostFunctions, hostFunction } from './host-function.ts'
import { toKeyObject, importKeyBytes, importJwk } from './key-material.ts'
import type { RunHooks } from './run-functions.ts'

/** Node's signing options by Web Crypto algorithm. HMAC is missing, because it is not computed with a key object. */
const OPTIONS: Record<string, SigningOptions> = {
  Ed25519: {},
  ECDSA: { dsaEncoding: 'ieee-p1363' },
  'RSASSA-PKCS1-v1_5': { padding: constants.RSA_PKCS1_PADDING },
  'RSA-PSS': { padding: constants.RSA_PKCS1_PSS_PADDING },
}

/**
 * Keys, signatures and MACs of crypto.subtle (Web Crypto). The host stores no state between calls: the guest stores its
 * keys and passes their bytes. All functions except `webRsaKey` check the clock first, because a single RSA signature
 * may take about 30 ms.
 */
export function signatureFunctions(hooks: () => RunHooks): HostFunctions {
  const checkClock = () => requireTimeLeft(() => hooks().mustStop())
  return {
    webKeyOfBytes: hostFunction(['text', 'text', 'bytes'], 'bytes', (kind, format, bytes) => {
      checkClock()
      return importKeyBytes(kind, format, bytes)
    }),

    webKeyOfJwk: hostFunction(['text', 'text', 'json'], 'bytes', (kind, type, jwk) => {
      checkClock()
      return importJwk(kind, type, jwk)
    }),

    /** Returns the JSON `{modulusLength, publicExponent}`: the number of bits, and a list of big-endian bytes. */
    webRsaKey: hostFunction(['text', 'bytes'], 'text', (type, der) => {
      const { modulusLength, publicExponent = 0n } =
        toKeyObject(type, der).asymmetricKeyDetails ?? {}
      const hex = publicExponent.toString(16)
      const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
      return JSON.stringify({ modulusLength, publicExponent: [...bytes] })
    }),

    webSign: hostFunction(
      ['text', 'text', 'number', 'bytes', 'bytes'],
      'bytes',
      (name, hash, saltLength, key, data) => {
        checkClock()
        if (name === 'HMAC') return mac(hash, key, data)
        const input = { ...derKeyInput('pkcs8', key), ...OPTIONS[name], saltLength }
        try {
          return sign(NODE_HASHES[hash] ?? null, data, input)
        } catch {
          throw new Error('the key cannot make this signature')
        }
      },
    ),

    /** MACs are compared in constant time. */
    webVerify: hostFunction(
      ['text', 'text', 'number', 'bytes', 'bytes', 'bytes'],
      'boolean',
      (name, hash, saltLength, key, signature, data) => {
        checkClock()
        if (name === 'HMAC') {
          const expected = mac(hash, key, data)
          return signature.length === expected.length && timingSafeEqual(signature, expected)
        }
        const input = { ...derKeyInput('spki', key), ...OPTIONS[name], saltLength }
        try {
          return verify(NODE_HASHES[hash] ?? null, data, input, signature)
        } catch {
          return false
        }
      },
    ),
  }
}

/**
 * Converts a key to the form that Node's functions accept. A DER key is parsed and freed within the call, whereas a key
 * object would stay in memory until it is garbage-collected.
 */
function derKeyInput<T extends 'pkcs8' | 'spki'>(
  type: T,
  { buffer, byteOffset, length }: Uint8Array,
) {
  return { key: Buffer.from(buffer, byteOffset, length), format: 'der', type } as const
}

function mac(hash: string, key: Uint8Array, data: Uint8Array): Buffer {
  const algorithm = NODE_HASHES[hash]
  if (algorithm === undefined) throw new Error('unknown digest')
  return createHmac(algorithm, key).update(data).digest()
}
