import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../../../edge/limits/token-bucket.ts'

const rate = { burst: 3, perMinute: 60 }
const START = Date.parse('2026-05-22T13:05:00Z')

describe('a token bucket', () => {
  it('grants its burst immediately, then one per interval', () => {
    const bucket = new TokenBucket()
    const takes = (at: number) => bucket.take(rate, START + at)
    expect([0, 0, 0, 0].map(takes)).toEqual([0, 0, 0, 1_000])
    expect([takes(400), takes(999), takes(1_000), takes(1_001)]).toEqual([600, 1, 0, 999])
  })

  it('never holds more than its burst', () => {
    const bucket = new TokenBucket()
    bucket.take(rate, START)
    const later = START + 24 * 60 * 60 * 1000
    expect([1, 2, 3, 4].map(() => bucket.take(rate, later))).toEqual([0, 0, 0, 1_000])
  })

  it('does not charge for rejections, so a persistent caller gets its next token on time', () => {
    const bucket = new TokenBucket()
    for (let n = 0; n < 100; n++) bucket.take(rate, START)
    expect(bucket.take(rate, START + 1_000)).toBe(0)
  })

  it('adds no tokens and delays no caller when the clock jumps back', () => {
    const bucket = new TokenBucket()
    for (let n = 0; n < 3; n++) bucket.take(rate, START)
    expect(bucket.take(rate, START - 3_600_000)).toBe(1_000)
    expect(bucket.take(rate, START - 3_600_000 + 1_000)).toBe(0)
  })
})
