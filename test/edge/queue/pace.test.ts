import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextStartAt, START_WINDOW_MS, StartWindow } from '../../../edge/queue/start-window.ts'

describe('mayStartAt', () => {
  it('returns now while fewer runs than the cap have started', () => {
    expect(nextStartAt([], 1, 5)).toBe(5)
    expect(nextStartAt([1, 2], 3, 5)).toBe(5)
  })

  it('returns the time when the oldest counted start leaves the window', () => {
    expect(nextStartAt([10], 1, 20)).toBe(10 + START_WINDOW_MS)
    expect(nextStartAt([10, 11, 12], 2, 20)).toBe(11 + START_WINDOW_MS)
  })

  it('returns now at the moment when the start leaves the window', () => {
    expect(nextStartAt([10], 1, 10 + START_WINDOW_MS)).toBe(10 + START_WINDOW_MS)
    expect(nextStartAt([10], 1, 10 + START_WINDOW_MS + 1)).toBe(10 + START_WINDOW_MS + 1)
  })

  it('never allows more starts than the cap in any 60 s', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 8 }), (gaps, cap) => {
        const starts: number[] = []
        let now = 0
        for (const gap of gaps) {
          now = nextStartAt(starts, cap, now + gap)
          starts.push(now)
        }
        for (const begin of starts) {
          const window = starts.filter((at) => at >= begin && at < begin + START_WINDOW_MS)
          expect(window.length).toBeLessThanOrEqual(cap)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('the start window', () => {
  /** An in-memory log of starts that behaves like the one on disk. */
  function windowOver(starts: number[] = []) {
    const recent = (now: number) =>
      (starts = starts.filter((at) => at > now - START_WINDOW_MS).map((at) => Math.min(at, now)))
    const remove = (at: number) => {
      const index = starts.indexOf(at)
      if (index >= 0) starts = starts.toSpliced(index, 1)
    }
    const window = new StartWindow({ recent, remove })
    const start = (now: number) => {
      starts = [...starts, now]
      window.add(now)
    }
    const reload = () => new StartWindow({ recent, remove })
    return { window, start, reload }
  }

  it('includes the starts of the previous incarnation', () => {
    const { window } = windowOver([1_000, 2_000])
    expect(window.allowedAt(2, 3_000)).toBe(1_000 + START_WINDOW_MS)
    expect(window.allowedAt(3, 3_000)).toBe(3_000)
  })

  it('counts starts in the future as starts now, once', () => {
    const { window, start } = windowOver()
    expect(window.allowedAt(1, 5_000_000)).toBe(5_000_000)
    start(5_000_000)
    expect(window.allowedAt(1, 1_400_000)).toBe(1_400_000 + START_WINDOW_MS)
    expect(window.allowedAt(1, 1_430_000)).toBe(1_400_000 + START_WINDOW_MS)
    expect(window.allowedAt(1, 1_460_000)).toBe(1_460_000)
  })

  it('has room for a removed start, in memory and on disk', () => {
    const { window, start, reload } = windowOver()
    window.allowedAt(2, 10)
    start(10)
    start(10)
    expect(window.allowedAt(2, 20)).toBe(10 + START_WINDOW_MS)
    window.remove(10)
    expect(window.allowedAt(2, 20)).toBe(20)
    expect(window.allowedAt(1, 20)).toBe(10 + START_WINDOW_MS)
    expect(reload().allowedAt(2, 20)).toBe(20)
    expect(reload().allowedAt(1, 20)).toBe(10 + START_WINDOW_MS)
  })

  it('keeps a start with a time that changed because the clock was set back', () => {
    const { window, start } = windowOver()
    window.allowedAt(1, 5_000_000)
    start(5_000_000)
    window.allowedAt(1, 1_400_000)
    window.remove(5_000_000)
    expect(window.allowedAt(1, 1_400_000)).toBe(1_400_000 + START_WINDOW_MS)
  })

  it('applies a raised or lowered cap immediately', () => {
    const { window, start } = windowOver()
    window.allowedAt(2, 10)
    start(10)
    start(20)
    expect(window.allowedAt(3, 30)).toBe(30)
    expect(window.allowedAt(1, 30)).toBe(20 + START_WINDOW_MS)
  })
})
