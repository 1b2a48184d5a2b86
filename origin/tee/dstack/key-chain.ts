/**
 * Verifies that the pinned KMS issued a key that the guest agent returned. The KMS signs the application's key, which
 * in turn signs the requested key (Dstack-TEE/dstack, `get_key` in `guest-agent/src/rpc_service.rs`, and
 * `kms/src/main_service.rs`).
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { isPrivate, pointFromScalar, recover } from 'tiny-secp256k1'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import { SECP256K1_ORDER } from '../../keys/derive.ts'

const KEY_BYTES = 32
const APP_ID_BYTES = 20
/** Length of a signature: r, s and the recovery ID. */
const SIGNATURE_BYTES = 65
const KMS_ISSUED = Buffer.from('dstack-kms-issued:')

export class KeyChainError extends Error {
  constructor(reason: string) {
    super(`the key from the guest agent was rejected: ${reason}`)
    this.name = 'KeyChainError'
  }
}

export type KeyChain = {
  key: Uint8Array
  purpose: string
  signatureChain: readonly Uint8Array[]
  /** App ID, 20 bytes. */
  appId: Uint8Array
  /** Pinned root public key of the KMS: a compressed secp256k1 point. */
  kmsRoot: Uint8Array
}

/**
 * Verifies both signatures of the chain. The application's key must have signed the key's purpose and public key, and
 * the KMS root must have signed the application's key together with the app ID.
 * @throws {KeyChainError}
 */
export function verifyKeyChain(chain: KeyChain): void {
  const { key, purpose, signatureChain, appId, kmsRoot } = chain
  if (key.length !== KEY_BYTES) throw new KeyChainError(`it has ${key.length} bytes instead of 32`)
  if (!isPrivate(key)) throw new KeyChainError('it is not a valid secp256k1 key')
  if (appId.length !== APP_ID_BYTES)
    throw new KeyChainError(`the app ID has ${appId.length} bytes instead of 20`)
  const [ofKey, ofApp] = signatureChain
  if (!ofKey || !ofApp || signatureChain.length !== 2)
    throw new KeyChainError(`its chain has ${signatureChain.length} signatures instead of 2`)
  const publicKey = pointFromScalar(key, true)
  if (!publicKey) throw new KeyChainError('it is not a valid secp256k1 key')
  const ofPurpose = Buffer.from(`${purpose}:${encodeHex(publicKey)}`)
  const appKey = recoverPublicKey(ofPurpose, ofKey, 'of the key')
  const issued = Buffer.concat([KMS_ISSUED, appId, appKey])
  const root = recoverPublicKey(issued, ofApp, 'of the application’s key')
  if (!Buffer.from(root).equals(kmsRoot))
    throw new KeyChainError('the chain does not end at the pinned KMS root')
}

/** Recovers the signer's public key as a compressed point. */
function recoverPublicKey(message: Uint8Array, signature: Uint8Array, whose: string): Uint8Array {
  const refuse = (reason: string) => new KeyChainError(`the signature ${whose} ${reason}`)
  if (signature.length !== SIGNATURE_BYTES)
    throw refuse(`has ${signature.length} bytes instead of ${SIGNATURE_BYTES}`)
  const recovery = signature[64]!
  if (recovery !== 0 && recovery !== 1) throw refuse(`has the recovery id ${recovery}`)
  const s = BigInt(`0x${encodeHex(signature.subarray(32, 64))}`)
  // For every valid s, `order - s` is also valid. Only the lower of these two values is accepted as canonical.
  if (s > SECP256K1_ORDER / 2n) throw refuse('has a high s')
  const signer = tryRecover(message, signature.subarray(0, 64), recovery)
  if (!signer) throw refuse('does not match any key')
  return signer
}

function tryRecover(
  message: Uint8Array,
  signature: Uint8Array,
  recovery: 0 | 1,
): Uint8Array | null {
  try {
    return recover(keccak_256(message), signature, recovery, true)
  } catch {
    return null
  }
}
