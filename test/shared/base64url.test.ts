import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'

const bytes = fc.uint8Array({ maxLength: 100 })

it('encodes like Node, and decodes its own output', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      const text = encodeBase64url(given)
      expect(text).toBe(Buffer.from(given).toString('base64url'))
      expect(decodeBase64url(text)).toEqual(given)
    }),
  )
})

it('malleability: rejects all other spellings, so that each byte string has one', () => {
  for (const text of ['A', 'AAAAA', 'AB', 'AAB', 'AA=', 'AA==', 'A A', 'AA\n', 'A+AA', 'A/AA', 'é'])
    expect(decodeBase64url(text)).toBeUndefined()
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      const decoded = decodeBase64url(text)
      if (decoded) expect(encodeBase64url(decoded)).toBe(text)
    }),
  )
})
