/**
 * The ACME account's key (RFC 8555, 6.2 and 8.1). It is derived from the root key, so all machines of a deployment use
 * one account: they can answer each other's challenges, and the CAA record names a single account
 * (`docs/decisions/0093`).
 */
import { hash } from 'node:crypto'
import { type P256Key, privateKeyOf, type PublicJwk, publicJwkOf } from '../../keys/p256-key.ts'
import { signEs256 } from '../../keys/es256.ts'

export type AcmeAccountKey = {
  jwk: PublicJwk
  thumbprint: string
  /** @returns the signature in base64url */
  sign(text: string): string
}

export function acmeAccountKey(key: P256Key): AcmeAccountKey {
  const privateKey = privateKeyOf(key)
  const jwk = publicJwkOf(key)
  return {
    jwk,
    thumbprint: hash('sha256', JSON.stringify(jwk), 'base64url'),
    sign: (text) => signEs256(privateKey, text).toString('base64url'),
  }
}
