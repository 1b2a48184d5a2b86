import { type KeyObject, sign } from 'node:crypto'
import { P256_ORDER } from '../keys/derive.ts'

const COORDINATE_BYTES = 32
/** Tags of a signature in DER: SEQUENCE { r INTEGER, s INTEGER }, whose lengths take one byte each. */
const DER_HEADER_BYTES = 2
const DER_INTEGER_HEADER_BYTES = 2

/**
 * A signature of ES256 (RFC 7518, 3.4): r and the lower s, 32 bytes each. Node makes it in this form as well (`ieee-p1363`), in
 * twice the time that it takes for DER.
 */
export function es256(key: KeyObject, text: string): Buffer {
  const der = sign('sha256', Buffer.from(text), key)
  const r = integerAt(der, DER_HEADER_BYTES)
  const s = integerAt(der, r.end)
  const signature = Buffer.alloc(2 * COORDINATE_BYTES)
  signature.set(r.bytes, COORDINATE_BYTES - r.bytes.length)
  signature.set(s.bytes, 2 * COORDINATE_BYTES - s.bytes.length)
  lowerS(signature.subarray(COORDINATE_BYTES))
  return signature
}

/** With s also the order less s verifies: one of them is taken, so that a receipt has one text (`shared/receipt.ts`). */
function lowerS(s: Buffer): void {
  const value = BigInt(`0x${s.toString('hex')}`)
  if (value <= P256_ORDER / 2n) return
  s.write((P256_ORDER - value).toString(16).padStart(2 * COORDINATE_BYTES, '0'), 'hex')
}

/** An INTEGER without the zero before a top bit that is set; small ones have fewer bytes. */
function integerAt(der: Buffer, at: number): { bytes: Buffer; end: number } {
  const from = at + DER_INTEGER_HEADER_BYTES
  const end = from + der[at + 1]!
  return { bytes: der.subarray(der[from] === 0 ? from + 1 : from, end), end }
}
