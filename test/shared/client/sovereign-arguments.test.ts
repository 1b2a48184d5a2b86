import { describe, expect, it } from 'vitest'
import { usageKeyHashOf } from '../../../shared/client/sovereign/arguments.ts'
import { apiKeyHash } from '../../../shared/crypto/keccak.ts'

describe('usageKeyHashOf', () => {
  const key = Buffer.alloc(32, 5).toString('base64')
  const hash = `0x${'ab'.repeat(32)}`

  it('accepts a hash', () => expect(usageKeyHashOf(hash)).toBe(hash))

  it.for([key, `0x${key.slice(2)}`])('hashes the key %s', (text) =>
    expect(usageKeyHashOf(text)).toBe(apiKeyHash(text)),
  )

  it.for(['', '0x', '0x12', `${hash}00`])('rejects %j', (text) =>
    expect(() => usageKeyHashOf(text)).toThrow('expected the key or its hash'),
  )
})
