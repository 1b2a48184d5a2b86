import { createECDH } from 'node:crypto'

/** Of P-256: a scalar of 32 bytes, and its uncompressed point of 65. */
export type P256Key = { privateKey: Buffer; publicKey: Buffer }

/** @throws {Error} for a scalar that is zero, or not below the curve's order */
export function p256KeyOf(privateKey: Buffer): P256Key {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { privateKey, publicKey: ecdh.getPublicKey() }
}
