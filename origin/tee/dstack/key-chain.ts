/**
 * Verifies the provenance of a key from the guest agent (Dstack-TEE/dstack, `guest-agent/src/rpc_service.rs` `get_key`
 * and `kms/src/main_service.rs`): the KMS signs the application's key, and the application's key signs the requested
 * one.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { isPrivate, pointFromScalar, recover } from 'tiny-secp256k1'
import { encodeHex } from '../../../shared/hex.ts'
import { SECP256K1_ORDER } from '../../keys/derive.ts'

const KEY_BYTES = 32
const APP_ID_BYTES = 20
/** r, s and the recovery ID. */
const SIGNATURE_BYTES = 65
const KMS_ISSUED = Buffer.from('dstack-kms-issued:')

/** The key is not proven to be this application's key from the pinned KMS. */
export class KeyNotAuthentic extends Error {
  constructor(reason: string) {
    super(`the key of the guest agent is refused: ${reason}`)
    this.name = 'KeyNotAuthentic'
  }
}

export type KeyChain = {
  key: Uint8Array
  purpose: string
  signatureChain: readonly Uint8Array[]
  /** 20 bytes. */
  appId: Uint8Array
  /** The pinned root of the KMS: a compressed point of secp256k1. */
  kmsRoot: Uint8Array
}

/**
 * Verifies two signatures: one of the key by the application's key, over its purpose and public key, and one of the
 * application's key by the KMS root, over the app ID.
 * @throws {KeyNotAuthentic}
 */
export function verifyKeyChain(chain: KeyChain): void {
  const { key, purpose, signatureChain, appId, kmsRoot } = chain
  if (key.length !== KEY_BYTES) throw new KeyNotAuthentic(`it has ${key.length} bytes, not 32`)
  if (!isPrivate(key)) throw new KeyNotAuthentic('it is none of secp256k1')
  if (appId.length !== APP_ID_BYTES)
    throw new KeyNotAuthentic(`the app id has ${appId.length} bytes, not 20`)
  const [ofKey, ofApp] = signatureChain
  if (!ofKey || !ofApp || signatureChain.length !== 2)
    throw new KeyNotAuthentic(`its chain has ${signatureChain.length} signatures, not 2`)
  const publicKey = pointFromScalar(key, true)
  if (!publicKey) throw new KeyNotAuthentic('it is none of secp256k1')
  const ofPurpose = Buffer.from(`${purpose}:${encodeHex(publicKey)}`)
  const appKey = signerOf(ofPurpose, ofKey, 'of the key')
  const issued = Buffer.concat([KMS_ISSUED, appId, appKey])
  const root = signerOf(issued, ofApp, 'of the application’s key')
  if (!Buffer.from(root).equals(kmsRoot))
    throw new KeyNotAuthentic('the chain does not end at the pinned KMS root')
}

/** Returns the compressed point of the key that made the signature. */
function signerOf(message: Uint8Array, signature: Uint8Array, whose: string): Uint8Array {
  const refuse = (reason: string) => new KeyNotAuthentic(`the signature ${whose} ${reason}`)
  if (signature.length !== SIGNATURE_BYTES)
    throw refuse(`has ${signature.length} bytes, not ${SIGNATURE_BYTES}`)
  const recovery = signature[64]!
  if (recovery !== 0 && recovery !== 1) throw refuse(`has the recovery id ${recovery}`)
  const s = BigInt(`0x${encodeHex(signature.subarray(32, 64))}`)
  // Both s and its negative fit the same message. Only the low one is canonical.
  if (s > SECP256K1_ORDER / 2n) throw refuse('has a high s')
  const signer = recovered(message, signature.subarray(0, 64), recovery)
  if (!signer) throw refuse('fits no key')
  return signer
}

function recovered(message: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Uint8Array | null {
  try {
    return recover(keccak_256(message), signature, recovery, true)
  } catch {
    return null
  }
}
