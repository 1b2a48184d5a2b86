/* global host */
/* Replacement for sha2.js of @ethersproject/sha2. The host computes the digests, instead of hash.js. */
import { arrayify } from '@ethersproject/bytes'
import { Logger } from '@ethersproject/logger'
import { version } from './_version'
import { SupportedAlgorithm } from './types'

const logger = new Logger(version)
const { digest, hmac } = host

function digestOf(name, data) {
  const bytes = arrayify(data)
  return digest(name, bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function ripemd160(data) {
  return digestOf('ripemd160', data)
}

export function sha256(data) {
  return digestOf('sha256', data)
}

export function sha512(data) {
  return digestOf('sha512', data)
}

export function computeHmac(algorithm, key, data) {
  if (!SupportedAlgorithm[algorithm]) {
    logger.throwError('unsupported algorithm - ' + algorithm, Logger.errors.UNSUPPORTED_OPERATION, {
      operation: 'computeHmac',
      algorithm: algorithm,
    })
  }
  const keyBytes = arrayify(key)
  const bytes = arrayify(data)
  return hmac(
    algorithm,
    keyBytes.buffer,
    keyBytes.byteOffset,
    keyBytes.byteLength,
    bytes.buffer,
    bytes.byteOffset,
    bytes.byteLength,
  )
}
