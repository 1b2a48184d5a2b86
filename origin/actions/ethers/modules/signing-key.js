/* global host */
/*
 * Replacement for @ethersproject/signing-key. Provides the same class, based on the host's secp256k1 instead of
 * elliptic.
 */
import { arrayify, hexDataLength, hexlify, splitSignature } from '@ethersproject/bytes'
import { Logger } from '@ethersproject/logger'
import { defineReadOnly } from '@ethersproject/properties'
import { version } from './_version'

const logger = new Logger(version)
const {
  publicKeys,
  signDigest,
  recoverPublicKey: recover,
  convertPoint,
  addPoints,
  sharedSecret,
} = host

const HIGH_DIGITS = '89abcdef'

/*
 * Adds the 0x prefix to hex that the host returned. If the text starts with '!', the rest is the message of an elliptic
 * error, which is thrown. '' stands for the point at infinity. It has no coordinates, and elliptic fails with this Node
 * error when it encodes that point.
 */
function written(hex) {
  if (hex === '') throw new TypeError("Cannot read properties of null (reading 'fromRed')")
  if (hex[0] === '!') throw new Error(hex.substring(1))
  return '0x' + hex
}

function converted(bytes, compressed) {
  return written(convertPoint(bytes.buffer, bytes.byteOffset, bytes.byteLength, compressed))
}

export class SigningKey {
  constructor(privateKey) {
    defineReadOnly(this, 'curve', 'secp256k1')
    defineReadOnly(this, 'privateKey', hexlify(privateKey))
    if (hexDataLength(this.privateKey) !== 32) {
      logger.throwArgumentError('invalid private key', 'privateKey', '[[ REDACTED ]]')
    }
    const keys = written(publicKeys(this.privateKey.substring(2)))
    defineReadOnly(this, 'publicKey', keys.substring(0, 132))
    defineReadOnly(this, 'compressedPublicKey', '0x' + keys.substring(132))
    defineReadOnly(this, '_isSigningKey', true)
  }
  _addPoint(other) {
    const ours = arrayify(this.publicKey)
    const theirs = arrayify(other)
    return written(
      addPoints(
        ours.buffer,
        ours.byteOffset,
        ours.byteLength,
        theirs.buffer,
        theirs.byteOffset,
        theirs.byteLength,
      ),
    )
  }
  signDigest(digest) {
    const key = this.privateKey.substring(2)
    let made = typeof digest === 'string' ? signDigest(key, digest.substring(2), digest.length) : ''
    if (made === '') {
      const bytes = arrayify(digest)
      if (bytes.length !== 32) {
        logger.throwArgumentError('bad digest length', 'digest', digest)
      }
      made = signDigest(key, hexlify(bytes).substring(2), 66)
    }
    const r = '0x' + made.substring(0, 64)
    const s = '0x' + made.substring(64, 128)
    const recoveryParam = made.charCodeAt(128) - 48
    if (recoveryParam > 1) return splitSignature({ recoveryParam, r, s })
    /*
     * Builds the same object as splitSignature, with its keys in the same order. s is low, so its top bit is free to
     * store the parity.
     */
    const yParityAndS = recoveryParam
      ? '0x' + HIGH_DIGITS[made.charCodeAt(64) - 48] + s.substring(3)
      : s
    return {
      r,
      s,
      _vs: yParityAndS,
      recoveryParam,
      v: 27 + recoveryParam,
      yParityAndS,
      compact: r + yParityAndS.substring(2),
    }
  }
  computeSharedSecret(otherKey) {
    const other = arrayify(computePublicKey(otherKey))
    const key = this.privateKey.substring(2)
    return written(sharedSecret(key, other.buffer, other.byteOffset, other.byteLength))
  }
  static isSigningKey(value) {
    return !!(value && value._isSigningKey)
  }
}

export function recoverPublicKey(digest, signature) {
  const { r, s, recoveryParam } = splitSignature(signature)
  const bytes = arrayify(digest)
  if ((3 & recoveryParam) !== recoveryParam) {
    throw new Error('The recovery param is more than two bits')
  }
  return written(
    recover(
      bytes.buffer,
      bytes.byteOffset,
      bytes.byteLength,
      r.substring(2),
      s.substring(2),
      recoveryParam,
    ),
  )
}

export function computePublicKey(key, compressed) {
  const bytes = arrayify(key)
  if (bytes.length === 32) {
    const signingKey = new SigningKey(bytes)
    return compressed ? signingKey.compressedPublicKey : signingKey.publicKey
  } else if (bytes.length === 33) {
    return compressed ? hexlify(bytes) : converted(bytes, false)
  } else if (bytes.length === 65) {
    return compressed ? converted(bytes, true) : hexlify(bytes)
  }
  return logger.throwArgumentError('invalid public or private key', 'key', '[REDACTED]')
}
