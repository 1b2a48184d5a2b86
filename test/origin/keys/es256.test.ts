import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { P256_ORDER } from '../../../origin/keys/derive.ts'
import { privateKeyOf } from '../../../origin/keys/p256-key.ts'
import { signEs256 } from '../../../origin/keys/es256.ts'
import { newReceiptKey } from '../../shared/receipts.ts'

/** Enough that r or s is often a byte shorter, or has its top bit set. */
const SIGNATURES = 2_000

it('creates valid signatures of 64 bytes with the lower s, for any length of r and s', () => {
  const key = privateKeyOf(newReceiptKey())
  const publicKey = { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' as const }
  let short = 0
  for (let n = 0; n < SIGNATURES; n++) {
    const text = `text ${n}`
    const signature = signEs256(key, text)
    expect(signature).toHaveLength(64)
    expect(BigInt(`0x${signature.subarray(32).toString('hex')}`)).toBeLessThanOrEqual(
      P256_ORDER / 2n,
    )
    if (signature[0] === 0 || signature[32] === 0) short++
    expect(verify('sha256', Buffer.from(text), publicKey, signature)).toBe(true)
  }
  expect(short).toBeGreaterThan(0)
})
