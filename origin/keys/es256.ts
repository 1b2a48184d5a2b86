import { type KeyObject, sign } from 'node:crypto'
import { P256_ORDER } from './derive.ts'

const COORDINATE_BYTES = 32
/** Lengths of the headers (tag and one-byte length) in a DER signature, SEQUENCE { r INTEGER, s INTEGER }. */
const DER_HEADER_BYTES = 2
const DER_INTEGER_HEADER_BYTES = 2

/**
 * Creates an ES256 signature (RFC 7518, 3.4): r and the low s, 32 bytes each. Signing to DER and converting takes half
 * as long as Node's own `ieee-p1363` format.
 */
export function signEs256(key: KeyObject, text: string): Buffer {
  const der = sign('sha256', Buffer.from(text), key)
  const r = integerAt(der, DER_HEADER_BYTES)
  const s = integerAt(der, r.end)
  const signature = Buffer.alloc(2 * COORDINATE_BYTES)
  signature.set(r.bytes, COORDINATE_BYTES - r.bytes.length)
  signature.set(s.bytes, 2 * COORDINATE_BYTES - s.bytes.length)
  lowerS(signature.subarray(COORDINATE_BYTES))
  return signature
}

/**
 * Replaces s by (order - s) if that is lower. Both values are valid, but always using the lower one makes a receipt's
 * text unique (`shared/receipts/receipt.ts`).
 */
function lowerS(s: Buffer): void {
  const value = BigInt(`0x${s.toString('hex')}`)
  if (value <= P256_ORDER / 2n) return
  s.write((P256_ORDER - value).toString(16).padStart(2 * COORDINATE_BYTES, '0'), 'hex')
}

/** Reads a DER INTEGER, and removes its leading zero byte, if any. Small numbers have fewer than 32 bytes. */
function integerAt(der: Buffer, at: number): { bytes: Buffer; end: number } {
  const from = at + DER_INTEGER_HEADER_BYTES
  const end = from + der[at + 1]!
  return { bytes: der.subarray(der[from] === 0 ? from + 1 : from, end), end }
}
