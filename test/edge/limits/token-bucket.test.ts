import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../../../edge/limits/token-bucket.ts'

const rate = { burst: 3, perMinute: 60 }
const START = Date.parse('2026-05-22T13:05:00Z')

describe('a token bucket', () => {
  it('gives its burst at once, then one for each interval', () => {
    const bucket = new TokenBucket()
    const takes = (at: number) => bucket.take(rate, START + at)
    expect([0, 0, 0, 0].map(takes)).toEqual([0, 0, 0, 1_000])
    expect([takes(400), takes(999), takes(1_000), takes(1_001)]).toEqual([600, 1, 0, 999])
  })

  it('is never fuller than its burst', () => {
    const bucket = new TokenBucket()
    bucket.take(rate, START)
    const later = START + 24 * 60 * 60 * 1000
    expect([1, 2, 3, 4].map(() => bucket.take(rate, later))).toEqual([0, 0, 0, 1_000])
  })

  it('refusals cost nothing: who goes on asking gets its next one in time', () => {
    const bucket = new TokenBucket()
    for (let n = 0; n < 100; n++) bucket.take(rate, START)
    expect(bucket.take(rate, START + 1_000)).toBe(0)
  })

  it('a clock that jumps back fills nothing, and holds nobody up', () => {
    const bucket = new TokenBucket()
    for (let n = 0; n < 3; n++) bucket.take(rate, START)
    expect(bucket.take(rate, START - 3_600_000)).toBe(1_000)
    expect(bucket.take(rate, START - 3_600_000 + 1_000)).toBe(0)
  })
})
