import { describe, expect, it } from 'vitest'
import { EncodingScorer } from '../../../edge/chain/decoding/encoding-scorer.ts'
import type { AbiType } from '../../../edge/chain/signature/event-signature.ts'

const word = (hex: string) => hex.padStart(64, '0')
/** Encoding of one `bytes` or `string` of three bytes. */
const threeBytes = (padding: string) => word('20') + word('3') + `616263${padding}`

describe.each<AbiType>([{ kind: 'bytes' }, { kind: 'string' }])('data as $kind', (type) => {
  const bitsOf = (hex: string) => new EncodingScorer(hex, 100).scoreAs([type])

  it('is valid with zero padding', () => {
    expect(bitsOf(threeBytes('0'.repeat(58)))).toBeGreaterThan(0)
  })

  it.each(['0'.repeat(57) + '1', '1' + '0'.repeat(57)])(
    'is invalid with non-zero padding: %s',
    (padding) => {
      expect(bitsOf(threeBytes(padding))).toBeUndefined()
    },
  )
})
