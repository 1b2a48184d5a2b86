import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayStartAt, PACE_WINDOW_MS } from '../../../edge/queue/pace.ts'

describe('mayStartAt', () => {
  it('is now while fewer than the cap have started', () => {
    expect(mayStartAt([], 1, 5)).toBe(5)
    expect(mayStartAt([1, 2], 3, 5)).toBe(5)
  })

  it('is when the oldest start that counts leaves the window', () => {
    expect(mayStartAt([10], 1, 20)).toBe(10 + PACE_WINDOW_MS)
    expect(mayStartAt([10, 11, 12], 2, 20)).toBe(11 + PACE_WINDOW_MS)
  })

  it('is now at the very moment that the start leaves the window', () => {
    expect(mayStartAt([10], 1, 10 + PACE_WINDOW_MS)).toBe(10 + PACE_WINDOW_MS)
    expect(mayStartAt([10], 1, 10 + PACE_WINDOW_MS + 1)).toBe(10 + PACE_WINDOW_MS + 1)
  })

  it('no window of 60 s ever has more starts than the cap, whatever the arrivals', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 8 }), (gaps, cap) => {
        const starts: number[] = []
        let now = 0
        for (const gap of gaps) {
          now = mayStartAt(starts, cap, now + gap)
          starts.push(now)
        }
        for (const begin of starts) {
          const window = starts.filter((at) => at >= begin && at < begin + PACE_WINDOW_MS)
          expect(window.length).toBeLessThanOrEqual(cap)
        }
      }),
      { numRuns: 50 },
    )
  })
})
