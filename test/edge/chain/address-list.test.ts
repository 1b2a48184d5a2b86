import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addressCount,
  addressesOf,
  hasAddress,
  packAddresses,
} from '../../../edge/chain/matching/address-list.ts'

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)

it('contains exactly its addresses, once and in order', () => {
  fc.assert(
    fc.property(fc.array(address), fc.array(address), (listed, others) => {
      const list = packAddresses([...listed, ...listed])
      const expected = new Set(listed)
      expect([...addressesOf(list)]).toEqual([...expected].toSorted())
      expect(addressCount(list)).toBe(expected.size)
      for (const one of [...listed, ...others])
        expect(hasAddress(list, one)).toBe(expected.has(one))
    }),
  )
})
