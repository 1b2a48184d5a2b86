import { createECDH, createPrivateKey, type ECDH, type KeyObject } from 'node:crypto'

/** P-256 key pair: a 32-byte private scalar and a 65-byte uncompressed public point. */
export type P256Key = {
  privateKey: Buffer
  publicKey: Buffer
  /** Holds the private key. Setting the key for each computation would also compute the public key again. */
  ecdh: Pick<ECDH, 'computeSecret'>
}

/** @throws {Error} if the scalar is zero, or not below the curve's order */
export function p256KeyOf(privateKey: Buffer): P256Key {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { privateKey, publicKey: ecdh.getPublicKey(), ecdh }
}

export function privateKeyOf(key: P256Key): KeyObject {
  const jwk = { ...publicJwkOf(key), d: key.privateKey.toString('base64url') }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

/** Public key as a JWK, with its members in the order that a thumbprint requires (RFC 7638, 3.2). */
export type PublicJwk = { crv: 'P-256'; kty: 'EC'; x: string; y: string }

export function publicJwkOf({ publicKey }: P256Key): PublicJwk {
  return {
    crv: 'P-256',
    kty: 'EC',
    x: publicKey.subarray(1, 33).toString('base64url'),
    y: publicKey.subarray(33).toString('base64url'),
  }
}
