import { describe, expect, it } from 'vitest'
import { OriginBreaker } from '../../../edge/queue/origin-breaker.ts'

/** Returns the backoffs for an origin that fails at every probe. */
function pauses(count: number, random: number): number[] {
  const pause = new OriginBreaker()
  let now = 0
  return Array.from({ length: count }, () => {
    pause.recordFailure(now, random)
    const waited = pause.until - now
    now = pause.until
    return waited
  })
}

describe('the backoff for the origin', () => {
  it('doubles from half a second to a minute', () => {
    const expected = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    expect(pauses(9, 1)).toEqual(expected)
  })

  it('has jitter of half its length, to avoid a thundering herd', () => {
    expect(pauses(3, 0)).toEqual([250, 500, 1_000])
  })

  it('is at least as long as Retry-After', () => {
    const pause = new OriginBreaker()
    pause.recordFailure(0, 1, 30_000)
    expect(pause.until).toBe(30_000)
  })

  it('counts failures during a backoff once, and keeps the longest Retry-After', () => {
    const pause = new OriginBreaker()
    for (let i = 0; i < 8; i++) pause.recordFailure(i, 1)
    expect(pause.until).toBe(500)
    pause.recordFailure(9, 1, 5_000)
    expect(pause.until).toBe(5_009)
    pause.recordFailure(5_009, 1)
    expect(pause.until).toBe(6_009)
  })

  it('ends with the first response', () => {
    const pause = new OriginBreaker()
    pause.recordFailure(0, 1)
    expect(pause.isTripped).toBe(true)
    pause.recordSuccess()
    expect(pause.isTripped).toBe(false)
    expect(pause.until).toBeLessThan(0)
    pause.recordFailure(0, 1)
    expect(pause.until).toBe(500)
  })
})
