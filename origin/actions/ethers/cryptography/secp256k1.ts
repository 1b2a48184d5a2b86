import * as secp256k1 from 'tiny-secp256k1'
import type { Point } from './points.ts'
import {
  add,
  decode,
  encode,
  inverse,
  isOnCurve,
  lift,
  modulo,
  N,
  P,
  toBytes,
  bytesToBigInt,
} from './points.ts'

/**
 * Curve operations for ethers' SigningKey, implemented with libsecp256k1. Private keys and points are hex without a
 * prefix. '' is the point at infinity, which ethers cannot encode. Private keys above the group's order are reduced, as
 * in elliptic.
 */

/** Size in bytes of a private key, of a digest, and of each half of a signature. */
const SCALAR_BYTES = 32

/** Returns the public key in hex: the uncompressed form (65 bytes), followed by the compressed form (33 bytes). */
export function publicKeys(privateKey: string): string {
  const scalar = scalarOf(privateKey)
  if (scalar === undefined) return ''
  const point = secp256k1.pointFromScalar(scalar, false)
  if (point === null) return ''
  const whole = Buffer.from(point).toString('hex')
  const odd = ((point.at(-1) ?? 0) & 1) === 1
  return `${whole}${odd ? '03' : '02'}${whole.slice(2, 66)}`
}

/**
 * Computes a deterministic signature (RFC 6979) with low s.
 * @param digest 32 bytes as hex
 * @param length length of the digest string in the guest, including its 0x prefix
 * @returns r and s (64 hex characters each), and the recovery ID (one digit); '' if the digest does not have 32 bytes
 * @throws Error if the key is invalid
 */
export function sign(privateKey: string, digest: string, length: number): string {
  const scalar = scalarOf(privateKey)
  if (scalar === undefined) throw new Error('invalid private key')
  const bytes = bytesOf(digest)
  if (bytes.length !== SCALAR_BYTES || digest.length !== 64 || length !== 66) return ''
  // RFC 6979 derives the nonce from the digest modulo the order (bits2octets).
  const { signature, recoveryId } = secp256k1.signRecoverable(reduceScalar(bytes), scalar)
  return Buffer.from(signature).toString('hex') + String(recoveryId)
}

/**
 * Recovers the public key from a signature. Returns the uncompressed point (65 bytes) as hex.
 * @param digest bytes of any length, as in ethers
 * @param r 32 bytes as hex
 * @param s 32 bytes as hex
 * @param id recovery ID, 0 to 3
 * @throws Error with the same messages as elliptic
 */
export function recover(digest: Uint8Array, r: string, s: string, id: number): string {
  const hash = toBytes(modulo(bytesToBigInt(digest), N))
  const signature = bytesOf(r + s)
  if (signature.length !== 2 * SCALAR_BYTES || (id !== 0 && id !== 1 && id !== 2 && id !== 3))
    throw new Error('The recovery param is more than two bits')
  return recoverNatively(hash, signature, id) ?? recoverUnchecked(hash, signature, id)
}

function recoverNatively(hash: Uint8Array, signature: Uint8Array, id: 0 | 1 | 2 | 3) {
  try {
    const point = secp256k1.recover(hash, signature, id, false)
    return point === null ? undefined : Buffer.from(point).toString('hex')
  } catch {
    // The library rejects zero, and numbers that are not below the order.
    return undefined
  }
}

/** Computes Q = (s R - e G) / r. Reduces numbers that libsecp256k1 would reject. */
function recoverUnchecked(hash: Uint8Array, signature: Uint8Array, id: number): string {
  const r = bytesToBigInt(signature.subarray(0, SCALAR_BYTES))
  const s = bytesToBigInt(signature.subarray(SCALAR_BYTES))
  const second = id > 1
  // Error message of elliptic, including its typos. A second key exists only if r is less than the difference of the
  // field's and the group's orders.
  if (second && r >= P - N) throw new Error('Unable to find sencond key candinate')
  const point = lift(second ? r + N : r, (id & 1) === 1)
  const overR = inverse(r, N)
  const ofGenerator = modulo(-bytesToBigInt(hash) * overR, N)
  return encode(
    add(multiplyGenerator(ofGenerator), multiplyPoint(point, modulo(s * overR, N))),
    false,
  )
}

export function convertPoint(point: Uint8Array, compressed: boolean): string {
  return encode(decode(point), compressed)
}

/** Adds two points. Returns the compressed sum (33 bytes) in hex. */
export function addPoints(a: Uint8Array, b: Uint8Array): string {
  return encode(add(decode(a), decode(b)), true)
}

/** Computes an ECDH shared secret: the x coordinate of `other` multiplied by the private key. */
export function sharedSecret(privateKey: string, other: Uint8Array): string {
  const point = decode(other)
  if (!isOnCurve(point)) throw new Error('public point not validated')
  const scalar = scalarOf(privateKey)
  const product = scalar && multiplyPoint(point, bytesToBigInt(scalar))
  return encode(product, false).slice(2, 66)
}

function multiplyPoint(point: NonNullable<Point>, factor: bigint): Point {
  if (factor === 0n) return undefined
  const bytes = Buffer.from(encode(point, false), 'hex')
  const product = secp256k1.pointMultiply(bytes, toBytes(factor), false)
  return product === null ? undefined : decode(product)
}

function multiplyGenerator(factor: bigint): Point {
  if (factor === 0n) return undefined
  const product = secp256k1.pointFromScalar(toBytes(factor), false)
  return product === null ? undefined : decode(product)
}

function scalarOf(privateKey: string): Uint8Array | undefined {
  const bytes = bytesOf(privateKey)
  if (bytes.length !== SCALAR_BYTES) return undefined
  const scalar = reduceScalar(bytes)
  return scalar.every((byte) => byte === 0) ? undefined : scalar
}

/** Reduces a number modulo the group's order. Nearly all numbers are below the order and are returned unchanged. */
function reduceScalar(bytes: Buffer): Buffer {
  return bytes.compare(ORDER) < 0 ? bytes : toBytes(modulo(bytesToBigInt(bytes), N))
}

const ORDER = toBytes(N)

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
