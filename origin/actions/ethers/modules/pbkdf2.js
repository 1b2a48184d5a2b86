/* global host */
/* Replacement for pbkdf2.js of @ethersproject/pbkdf2. The host computes the key. */
import { arrayify } from '@ethersproject/bytes'
import { computeHmac } from '@ethersproject/sha2'

const { pbkdf2: derive } = host

export function pbkdf2(password, salt, iterations, keylen, hashAlgorithm) {
  password = arrayify(password)
  salt = arrayify(salt)
  /* Allocating the key and computing one HMAC reject invalid inputs with the same errors as the original code. */
  const length = new Uint8Array(keylen).length
  computeHmac(hashAlgorithm, password, salt)
  if (length === 0) throw new RangeError('offset is out of bounds')
  const rounds = Math.ceil(Number(iterations))
  return derive(
    hashAlgorithm,
    password.buffer,
    password.byteOffset,
    password.byteLength,
    salt.buffer,
    salt.byteOffset,
    salt.byteLength,
    rounds > 1 ? rounds : 1,
    length,
  )
}
