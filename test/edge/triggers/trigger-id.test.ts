import { describe, expect, it } from 'vitest'
import { isTriggerId, newTriggerId } from '../../../edge/triggers/trigger-id.ts'
import { decodeBase64url, encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { random } from '../app.ts'

const KEY = encodeBase64url(random(32))

describe('a trigger ID', () => {
  it('has 32 URL-safe characters and a valid MAC', async () => {
    const id = await newTriggerId(KEY, random)
    expect(id).toMatch(/^[\w-]{32}$/)
    expect(await isTriggerId(KEY, id)).toBe(true)
  })

  it('forgery: is invalid after a change of any single bit', async () => {
    const id = decodeBase64url(await newTriggerId(KEY, random))!
    for (let bit = 0; bit < id.length * 8; bit++) {
      const forged = Uint8Array.from(id)
      forged[bit >> 3]! ^= 1 << (bit & 7)
      expect(await isTriggerId(KEY, encodeBase64url(forged))).toBe(false)
    }
  })

  it('forgery: is invalid if it was created with another key, even after a check with that key', async () => {
    const other = encodeBase64url(random(32))
    const id = await newTriggerId(other, random)
    expect(await isTriggerId(other, id)).toBe(true)
    expect(await isTriggerId(KEY, id)).toBe(false)
  })

  it('has only one spelling', async () => {
    const id = await newTriggerId(KEY, random)
    const others = [
      id.slice(0, -1),
      `${id}A`,
      `${id}=`,
      ` ${id}`,
      id.toLowerCase(),
      '',
      'é'.repeat(32),
    ]
    for (const other of others)
      expect([other, await isTriggerId(KEY, other)]).toEqual([other, false])
  })

  it('flood: invented IDs are never cached as valid', async () => {
    for (let i = 0; i < 200; i++)
      expect(await isTriggerId(KEY, encodeBase64url(random(24)))).toBe(false)
  })
})
