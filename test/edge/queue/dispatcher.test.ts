import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { success } from '../app.ts'
import { OriginUnavailableError } from '../../../edge/trust/origin-unavailable-error.ts'
import { away, endedWith, never, refused, settled, simulate } from './simulation.ts'

const MINUTE = 60_000

describe('order and concurrency', () => {
  it('starts at most eight runs at once, in order of arrival', () =>
    simulate({}, async (sim) => {
      const ends: ((answer: ExecuteResponse) => void)[] = []
      sim.behaviour.execute = () => new Promise((end) => ends.push(end))
      const suffixes = await sim.add(12)
      expect(sim.statuses().filter((status) => status === 'running')).toHaveLength(8)
      while (ends.length > 0) {
        ends.shift()!(endedWith('done'))
        await settled()
      }
      expect(sim.calls.map((call) => call.suffix)).toEqual(suffixes)
      expect(new Set(sim.statuses())).toEqual(new Set(['success']))
      expect(sim.mostExecuting).toBe(3)
    }))

  it('runs strictly serially with a concurrency of one', () =>
    simulate({ concurrency: 1 }, async (sim) => {
      await sim.add(5)
      expect(sim.mostExecuting).toBe(1)
      expect(sim.statuses()).toEqual(Array(5).fill('success'))
    }))

  it('releases the last connection of slow runs early, so that the next run is sent', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ waitMs }) => (waitMs > 250 ? never() : { state: 'running' })
      sim.behaviour.outcomes = () => never()
      for (let n = 0; n < 8; n++) await sim.add(1)
      expect(sim.calls.map((call) => call.waitMs)).toEqual([5_000, 5_000, ...Array(6).fill(250)])
      expect(sim.polls.at(-1)).toHaveLength(6)
    }))

  it('sends runs that wait for a connection together in one request', () =>
    simulate({ concurrency: 16 }, async (sim) => {
      const answers: (() => void)[] = []
      sim.behaviour.execute = () =>
        new Promise((resolve) => answers.push(() => resolve(endedWith('ended'))))
      for (let n = 0; n < 12; n++) await sim.add(1)
      expect(sim.requests).toEqual([1, 1, 1])
      answers[0]!()
      await settled()
      expect(sim.requests).toEqual([1, 1, 1, 9])
    }))

  it('starts nothing while the trigger is disabled', () =>
    simulate({ enabled: false }, async (sim) => {
      await sim.add(2)
      await sim.advance(MINUTE)
      expect(sim.calls).toEqual([])
      expect(sim.statuses()).toEqual(['queued', 'queued'])
    }))
})

describe('max_runs_per_minute', () => {
  it('limits starts in any 60 s, and starts more as earlier ones leave the window', () =>
    simulate({ maxRunsPerMinute: 2 }, async (sim) => {
      const begin = sim.now
      await sim.add(2)
      await sim.advance(10_000)
      await sim.add(3)
      await sim.advance(3 * MINUTE)
      expect(sim.calls.map((call) => call.at - begin)).toEqual([0, 0, MINUTE, MINUTE, 2 * MINUTE])
    }))

  it('counts retries, and starts of the previous incarnation', () =>
    simulate({ maxRunsPerMinute: 2 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = ({ attempt }) => (attempt === 1 ? refused(500) : endedWith('done'))
      await sim.add(1)
      await sim.advance(6_000)
      await sim.restart()
      await sim.add(1)
      await sim.advance(2 * MINUTE)
      expect(sim.calls.map((call) => call.at - begin)).toEqual([0, 5_000, MINUTE, MINUTE + 5_000])
    }))
})

describe('a start that executed nothing', () => {
  /** Answers the first attempt to start the second run with `first`, and executes the next one. */
  const secondStart = (first: () => ExecuteResponse | Promise<ExecuteResponse>) => {
    let calls = 0
    return () => (++calls === 2 ? first() : endedWith('done'))
  }
  const notReached = () =>
    Promise.reject(new OriginUnavailableError('not verified', { isUnsent: true }))

  it.each([
    ['429', () => refused(429, 5)],
    ['503', () => refused(503, 5)],
    ['an origin that was not reached', notReached],
  ])('because of %s, gives its slot in the window back', (_, first) =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = secondStart(first)
      await sim.add(2)
      await sim.advance(MINUTE + 6_000)
      expect(sim.statuses()).toEqual(['success', 'success'])
      expect(sim.calls[1]!.at - begin).toBe(MINUTE)
      expect(sim.calls[2]!.at - begin).toBeLessThanOrEqual(MINUTE + 5_000)
    }),
  )

  it('because of 402, gives its slot back to a run with another key', () =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      sim.behaviour.execute = () => (sim.calls.length === 1 ? refused(402) : endedWith('paid'))
      await sim.add(1)
      await sim.patch({ sealedUsageKey: new Uint8Array(32) })
      expect(sim.statuses()).toEqual(['success'])
    }))

  it('gives its slot back on disk as well', () =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      sim.behaviour.execute = secondStart(() => refused(503, 5))
      await sim.add(2)
      await sim.advance(MINUTE)
      await sim.restart()
      await sim.advance(6_000)
      expect(sim.statuses()).toEqual(['success', 'success'])
    }))

  it.each([
    ['a connection that broke after sending', away],
    ['a sealed failure of the network', () => refused(500)],
    ['a refused key', () => refused(403)],
  ])('is not assumed after %s: the slot stays used', (_, first) =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = secondStart(first)
      await sim.add(3)
      await sim.advance(2 * MINUTE)
      expect(sim.calls.map((call) => call.at - begin)).toEqual([0, MINUTE, 2 * MINUTE])
    }),
  )

  it('is not assumed after an eviction if its run may have been sent', () =>
    simulate({ maxRunsPerMinute: 1 }, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.calls.length === 1 ? never() : refused(503))
      await sim.add(1)
      await sim.restart()
      expect(sim.calls).toHaveLength(2)
      await sim.advance(MINUTE - 1)
      expect(sim.calls).toHaveLength(2)
      await sim.advance(1)
      expect(sim.calls[2]!.at - begin).toBe(MINUTE)
    }))

  it('never lets more executions start within 60 s than the cap', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('runs', 'breaks', 402, 429, 500, 503, 'not reached'), {
          minLength: 10,
          maxLength: 60,
        }),
        fc.array(
          fc.record({
            wait: fc.integer({ min: 0, max: 40_000 }),
            runs: fc.integer({ min: 0, max: 4 }),
            restart: fc.boolean(),
          }),
          { minLength: 3, maxLength: 12 },
        ),
        fc.integer({ min: 1, max: 4 }),
        (answers, steps, cap) =>
          simulate({ maxRunsPerMinute: cap }, async (sim) => {
            const executed: number[] = []
            const claimed = new Set<string>()
            sim.behaviour.execute = ({ suffix, at }) => {
              const answer = answers[(sim.calls.length - 1) % answers.length]
              if (answer === 'not reached') return notReached()
              if (answer === 402 || answer === 429 || answer === 503) return refused(answer)
              // A second request joins the same execution.
              if (answer === 500 || !claimed.has(suffix)) executed.push(at)
              if (answer === 500) return refused(500)
              claimed.add(suffix)
              return answer === 'breaks' ? away() : endedWith('done')
            }
            sim.behaviour.outcomes = (suffixes) => {
              const known = suffixes.filter((suffix) => claimed.has(suffix))
              return {
                ended: Object.fromEntries(known.map((one) => [one, success().outcome])),
                running: [],
                unknown: suffixes.filter((suffix) => !claimed.has(suffix)),
              }
            }
            for (const { wait, runs, restart } of steps) {
              if (runs > 0) await sim.add(runs)
              if (restart) await sim.restart()
              await sim.advance(wait)
            }
            await sim.advance(10 * MINUTE)
            for (const [i, at] of executed.entries()) {
              const next = executed[i + cap]
              if (next !== undefined) expect(next - at).toBeGreaterThanOrEqual(MINUTE)
            }
          }),
      ),
      { numRuns: 20 },
    ))
})

describe('a sealed network failure', () => {
  it('is retried after 5 s, 60 s and 10 min, and then fails the run', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => refused(500)
      await sim.add(1)
      expect(sim.rows()).toMatchObject([
        { status: 'queued', attempt: 1, next_attempt_at: begin + 5_000 },
      ])
      await sim.advance(20 * MINUTE)
      expect(sim.calls.map((call) => [call.attempt, call.at - begin])).toEqual([
        [1, 0],
        [2, 5_000],
        [3, 65_000],
        [4, 665_000],
      ])
      expect(sim.rows()).toMatchObject([{ status: 'failed', attempt: 4, next_attempt_at: null }])
    }))

  it('does not delay later runs', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = ({ suffix }) =>
        suffix === sim.rows()[0]!.suffix ? refused(502) : endedWith('done')
      await sim.add(3)
      expect(sim.statuses()).toEqual(['queued', 'success', 'success'])
    }))
})

describe('rejections that do not fail the run', () => {
  it.each([429, 503])('%i pauses the queue for Retry-After, without using an attempt', (status) =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.now < begin + 30_000 ? refused(status, 30) : endedWith(1))
      await sim.add(1)
      await sim.add(2)
      await sim.advance(29_999)
      expect(sim.calls).toHaveLength(1)
      expect(sim.rows()[0]).toMatchObject({ status: 'queued', attempt: 0 })
      await sim.advance(1)
      expect(sim.statuses()).toEqual(['success', 'success', 'success'])
      expect(sim.calls[1]).toMatchObject({ attempt: 1, at: begin + 30_000 })
    }),
  )

  it('402 waits for payment, a minute at a time, without using an attempt', () =>
    simulate({}, async (sim) => {
      const begin = sim.now
      sim.behaviour.execute = () => (sim.calls.length < 3 ? refused(402) : endedWith('paid'))
      await sim.add(1)
      await sim.advance(5 * MINUTE)
      expect(sim.calls.map((call) => [call.attempt, call.at - begin])).toEqual([
        [1, 0],
        [1, MINUTE],
        [1, 2 * MINUTE],
      ])
      expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 1 }])
    }))

  it.each([400, 401, 403, 413, 422])('%i fails the run immediately', (status) =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(status)
      await sim.add(1)
      expect(sim.rows()).toMatchObject([{ status: 'failed', attempt: 1 }])
      expect(sim.result()).toMatchObject({ error: `${status} by_script: No. None.` })
    }),
  )
})

describe('the counters of the queue', () => {
  it('match the queued runs on disk after every turn', () =>
    simulate({ concurrency: 2 }, async (sim) => {
      const answers = [refused(500), endedWith(1), refused(503, 1), refused(402), endedWith(1)]
      sim.behaviour.execute = () => answers[sim.calls.length % answers.length] ?? away()
      await sim.add(7)
      for (let i = 0; i < 20; i++) {
        expect(sim.queued).toBe(sim.statuses().filter((status) => status === 'queued').length)
        await sim.advance(10_000)
      }
    }))
})

it('a run with an end that could not be stored is resumed when its lease expires, despite an earlier alarm', () =>
  simulate({}, async (sim) => {
    sim.behaviour.execute = ({ suffix }) => {
      const { outcome } = success('done')
      sim.behaviour.outcomes = () => ({ ended: { [suffix]: outcome }, running: [], unknown: [] })
      sim.failAt(sim.calls.length === 1 ? 1 : undefined)
      return endedWith('done')
    }
    await sim.add(1)
    expect(sim.statuses()).toEqual(['running'])
    // The alarm that the failure left behind rings first.
    sim.failAt(0)
    await sim.patch({ name: 'another' })
    await sim.advance(MINUTE)
    expect(sim.statuses()).toEqual(['success'])
    expect(sim.calls).toHaveLength(1)
  }))

it('a run with a deleted trigger is not polled', () =>
  simulate({}, async (sim) => {
    let answer = () => {}
    sim.behaviour.execute = ({ suffix }) =>
      new Promise((resolve) => (answer = () => resolve(sim.slow(suffix))))
    await sim.add(1)
    sim.state.remove(sim.now)
    answer()
    await sim.advance(MINUTE)
    expect(sim.polls).toEqual([])
  }))
