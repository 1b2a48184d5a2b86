import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hmacSha256 } from '../../../origin/keys/hmac-sha256.ts'

it('equals the HMAC of Node for all keys and messages', () => {
  const bytes = fc.uint8Array({ maxLength: 200 })
  fc.assert(
    fc.property(bytes, fc.array(bytes, { maxLength: 4 }), (key, parts) => {
      const hmac = createHmac('sha256', key)
      for (const part of parts) hmac.update(part)
      expect(hmacSha256(key, ...parts)).toEqual(hmac.digest())
    }),
  )
})

it.each([63, 64, 65])('accepts a key of %i bytes', (length) => {
  const key = Buffer.alloc(length, 7)
  const message = Buffer.from('message')
  expect(hmacSha256(key, message)).toEqual(createHmac('sha256', key).update(message).digest())
})
