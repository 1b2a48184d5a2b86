import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { P256Key } from '../../keys/p256-key.ts'

/** The same key, as OpenSSL takes it. */
export function privateKeyOf({ privateKey, publicKey }: P256Key): KeyObject {
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: privateKey.toString('base64url'),
    x: publicKey.subarray(1, 33).toString('base64url'),
    y: publicKey.subarray(33).toString('base64url'),
  }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}
