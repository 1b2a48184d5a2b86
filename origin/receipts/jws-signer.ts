import type { KeyObject } from 'node:crypto'
import { JWS_ALGORITHM } from '../../shared/crypto/jws.ts'
import { keyIdOf } from '../channel/open-request.ts'
import { type P256Key, privateKeyOf } from '../keys/p256-key.ts'
import { signEs256 } from '../keys/es256.ts'

export class JwsSigner {
  readonly #key: KeyObject
  /** The same for every payload. */
  readonly #header: string

  constructor(key: P256Key, type: string) {
    this.#key = privateKeyOf(key)
    const header = { alg: JWS_ALGORITHM, kid: keyIdOf(key.publicKey), typ: type }
    this.#header = base64url(JSON.stringify(header))
  }

  sign(payload: object): string {
    const text = `${this.#header}.${base64url(JSON.stringify(payload))}`
    return `${text}.${signEs256(this.#key, text).toString('base64url')}`
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
