import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tickRunSuffix } from '../../../edge/schedule/tick-run.ts'
import { RUN_SUFFIX_BYTES } from '../../../shared/ids.ts'
import { enumerate } from './enumeration.ts'
import { simulateSchedule } from './tick-simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 4, 22, 12)
const QUARTERS = { cron: '*/15 * * * *', from: NOON + 1 }
const quarter = (n: number) => NOON + n * 15 * MINUTE

describe('a schedule', () => {
  it('with a filter runs only the ticks that match, and skips none', () =>
    simulateSchedule(QUARTERS, async (sim) => {
      const filter = 'timestamp(scheduled_at).getMinutes() == 30'
      sim.state.change({ options: { filter } }, NOON + 2)
      await sim.rules.prepare(sim.state.current)
      for (let n = 1; n <= 4; n++) sim.look(quarter(n))
      expect(sim.fired()).toEqual([quarter(2)])
      expect(sim.skipped()).toEqual([])
    }))

  it('fires no tick before it was enabled, and the first tick when it is due', () =>
    simulateSchedule(QUARTERS, (sim) => {
      expect(sim.look(NOON + 1)).toBe(quarter(1))
      expect(sim.look(quarter(1) - 1)).toBe(quarter(1))
      expect(sim.fired()).toEqual([])
      expect(sim.look(quarter(1))).toBe(quarter(2))
      expect(sim.fired()).toEqual([quarter(1)])
    }))

  it('that is enabled exactly at a tick starts with the next one', () =>
    simulateSchedule({ ...QUARTERS, from: NOON }, (sim) => {
      expect(sim.look(NOON)).toBe(quarter(1))
      expect(sim.fired()).toEqual([])
    }))

  it('does not drift when alarms are late', () =>
    simulateSchedule(QUARTERS, (sim) => {
      for (let n = 1; n <= 5; n++) expect(sim.look(quarter(n) + 20_000)).toBe(quarter(n + 1))
      expect(sim.fired()).toEqual([1, 2, 3, 4, 5].map(quarter))
      expect(sim.skipped()).toEqual([])
    }))

  it('fires no ticks of the time while it was disabled', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.state.change({ enabled: false }, NOON + 2)
      expect(sim.look(quarter(1))).toBeUndefined()
      sim.state.change({ enabled: true }, quarter(3) + 5)
      expect(sim.look(quarter(3) + 5)).toBe(quarter(4))
      expect(sim.fired()).toEqual([])
      expect(sim.skipped()).toEqual([])
    }))

  it('with a new cron expression starts again from that moment', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      sim.state.change({ config: { cron: '0 * * * *' } }, quarter(1) + 1)
      expect(sim.look(quarter(2))).toBe(quarter(4))
      sim.look(quarter(4))
      expect(sim.fired()).toEqual([quarter(1), quarter(4)])
    }))

  it('continues unchanged after a PATCH of its name or with the same cron expression', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.state.change({ name: 'another' }, quarter(1) - 1)
      sim.state.change({ enabled: true }, quarter(1) - 1)
      sim.look(quarter(1))
      expect(sim.fired()).toEqual([quarter(1)])
    }))

  it('keeps the cron expression of a queued run', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      sim.state.change({ config: { cron: '0 * * * *' } }, quarter(1) + 1)
      const [row] = sim.storage.sql.exec<{ firing: string }>('SELECT firing FROM runs').toArray()
      expect(JSON.parse(row!.firing)).toMatchObject({ cron: QUARTERS.cron })
    }))
})

describe('a tick', () => {
  it('has a deterministic run ID', () => {
    const suffix = tickRunSuffix('trigger', NOON)
    expect(Buffer.from(suffix, 'base64url')).toHaveLength(RUN_SUFFIX_BYTES)
    expect(tickRunSuffix('trigger', NOON)).toBe(suffix)
    const others = [tickRunSuffix('another', NOON), tickRunSuffix('trigger', NOON + 1000)]
    expect(new Set([suffix, ...others]).size).toBe(3)
  })

  it('is fired by the next incarnation if the object was killed before storing it', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.failing = true
      expect(() => sim.look(quarter(1))).toThrow('killed')
      expect(sim.fired()).toEqual([])
      sim.failing = false
      sim.restart()
      expect(sim.look(quarter(1) + 300)).toBe(quarter(2))
      expect(sim.fired()).toEqual([quarter(1)])
    }))

  it('creates no second run if the next tick was not stored after its run', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      sim.state.updateFields({ nextTickAt: quarter(1) })
      sim.restart()
      expect(sim.look(quarter(1) + 300)).toBe(quarter(2))
      expect(sim.fired()).toEqual([quarter(1)])
    }))
})

describe('skipped ticks', () => {
  it('are recorded after an outage of the service', () =>
    simulateSchedule(QUARTERS, (sim) => {
      expect(sim.look(quarter(4) + 5 * MINUTE)).toBe(quarter(5))
      expect(sim.fired()).toEqual([quarter(4)])
      expect(sim.skipped()).toEqual([
        {
          reason: 'missed',
          count: 3,
          scheduled_at: quarter(3),
          recorded_at: quarter(4) + 5 * MINUTE,
        },
      ])
    }))

  it('are recorded if the queue is full, and the schedule continues', () =>
    simulateSchedule({ ...QUARTERS, maxQueuedRuns: 1 }, (sim) => {
      for (let n = 1; n <= 3; n++) expect(sim.look(quarter(n))).toBe(quarter(n + 1))
      expect(sim.fired()).toEqual([quarter(1)])
      expect(sim.skipped()).toEqual([
        { reason: 'queue_full', count: 2, scheduled_at: quarter(3), recorded_at: quarter(2) },
      ])
    }))

  it('a single run waits for room in the queue, because no later tick follows it', () =>
    simulateSchedule({ ...QUARTERS, maxQueuedRuns: 1 }, (sim) => {
      sim.look(quarter(1))
      const at = new Date(quarter(2)).toISOString()
      sim.state.change({ config: { at } }, quarter(1) + 1)
      expect(sim.look(quarter(2))).toBe(quarter(2))
      const retryAt = sim.alarmAt!
      expect(retryAt).toBeGreaterThan(quarter(2))
      sim.look(retryAt)
      expect(sim.alarmAt).toBeGreaterThan(retryAt)
      expect([sim.fired(), sim.skipped()]).toEqual([[quarter(1)], []])
      sim.storage.sql.exec('DELETE FROM runs')
      sim.restart()
      expect(sim.look(quarter(4))).toBeUndefined()
      expect([sim.storage.sql.exec('SELECT 1 FROM runs').toArray().length, sim.skipped()]).toEqual([
        1,
        [],
      ])
      expect(sim.state.current!.nextTickAt).toBeNull()
    }))

  it('are recorded in one row per hour, not per tick', () =>
    simulateSchedule({ ...QUARTERS, maxQueuedRuns: 1 }, (sim) => {
      for (let n = 1; n <= 97; n++) sim.look(quarter(n))
      const counts = sim.skipped().map((row) => row.count as number)
      expect(counts).toHaveLength(24)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(96)
    }))

  it('under misfire all are the latest, for which the queue has no room', () =>
    simulateSchedule({ ...QUARTERS, maxQueuedRuns: 2, options: { misfire: 'all' } }, (sim) => {
      sim.look(quarter(5))
      expect(sim.fired()).toEqual([quarter(1), quarter(2)])
      expect(sim.skipped()).toMatchObject([
        { reason: 'queue_full', count: 3, scheduled_at: quarter(5) },
      ])
    }))

  it('are not recorded twice if the object is killed meanwhile', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.failing = true
      expect(() => sim.look(quarter(4))).toThrow('killed')
      sim.failing = false
      sim.restart()
      sim.look(quarter(4) + 1)
      expect(sim.skipped()).toMatchObject([{ count: 3 }])
    }))
})

describe('an object with a later tick', () => {
  it('is woken a few seconds before the tick to prepare, and then again for the tick', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      const early = quarter(2) - sim.alarmAt!
      expect(early).toBeGreaterThanOrEqual(2_000)
      // A Durable Object that is idle for ten seconds is evicted from memory.
      expect(early).toBeLessThan(8_000)
      expect(sim.woken).toBe(0)
      sim.look(sim.alarmAt!)
      expect([sim.alarmAt, sim.woken]).toEqual([quarter(2), 1])
      expect(sim.fired()).toEqual([quarter(1)])
    }))
})

describe('a stored tick that the cron expression does not match, from a version that parsed it differently', () => {
  const stale = quarter(1) - 7 * MINUTE

  it.each([
    ['before it is due', stale - MINUTE],
    ['when it is due', stale],
    ['after it was due', stale + MINUTE],
  ])('is replaced by the next tick, %s', (_, at) =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.state.updateFields({ nextTickAt: stale })
      expect(sim.look(at)).toBe(quarter(1))
      expect(sim.fired()).toEqual([])
      sim.look(quarter(1))
      expect(sim.fired()).toEqual([quarter(1)])
    }),
  )

  it('is removed if the cron expression matches no time', () =>
    simulateSchedule({ ...QUARTERS, cron: '0 0 31 2 */2' }, (sim) => {
      sim.state.updateFields({ nextTickAt: quarter(1) })
      expect(sim.look(quarter(1))).toBeUndefined()
      expect(sim.state.current!.nextTickAt).toBeNull()
      expect(sim.fired()).toEqual([])
    }))
})

describe('a clock that jumps', () => {
  it('a year ahead and back does not silence the schedule for a year', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      sim.look(quarter(1) + 365 * 24 * HOUR)
      expect(sim.look(quarter(2) - 1)).toBe(quarter(2))
      sim.look(quarter(2))
      expect(sim.fired().at(-1)).toBe(quarter(2))
    }))

  it('an hour back fires nothing twice, and the schedule continues where it was', () =>
    simulateSchedule(QUARTERS, (sim) => {
      for (let n = 1; n <= 4; n++) sim.look(quarter(n))
      for (let n = 0; n <= 4; n++) expect(sim.look(quarter(n) + 1)).toBe(quarter(5))
      sim.look(quarter(5))
      expect(sim.fired()).toEqual([1, 2, 3, 4, 5].map(quarter))
    }))

  it('an hour ahead fires one run, without a burst', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1))
      sim.look(quarter(1) + HOUR + 7)
      expect(sim.fired()).toEqual([quarter(1), quarter(5)])
    }))

  it('by up to an hour either way fires or records every tick once, and never creates two runs for one', async () => {
    const step = fc.record({
      /** Offset of the clock from here on. */
      error: fc.constantFrom(0, 0, 0, -HOUR / 2, HOUR / 2),
      wait: fc.integer({ min: 0, max: 40 * MINUTE }),
      restart: fc.boolean(),
    })
    const walk = fc.array(step, { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(walk, (steps) =>
        simulateSchedule(QUARTERS, (sim) => {
          let time = QUARTERS.from
          let highest = time
          let runs = 0
          for (const { error, wait, restart } of steps) {
            time += wait
            const now = time + error
            highest = Math.max(highest, now)
            if (restart) sim.restart()
            sim.look(now)
            expect(sim.fired().length - runs, 'no burst').toBeLessThanOrEqual(1)
            runs = sim.fired().length
          }
          const fired = sim.fired()
          expect(new Set(fired).size).toBe(fired.length)
          const skipped = sim.skipped().reduce((sum, row) => sum + (row.count as number), 0)
          const owed = [...enumerate(QUARTERS.cron, QUARTERS.from, highest)]
          expect(fired.length + skipped).toBe(owed.length)
        }),
      ),
      { numRuns: 12 },
    )
  })
})

describe('a schedule in a time zone', () => {
  const BERLIN = { cron: '30 2 * * *', timezone: 'Europe/Berlin' }
  /** The clock is put forward from 02:00 to 03:00. */
  const spring = Date.parse('2026-03-29T01:00:00Z')
  /** The clock is set back from 03:00 to 02:00. */
  const autumn = Date.parse('2026-10-25T01:00:00Z')
  const firing = (sim: { storage: DurableObjectStorage }) => {
    const rows = sim.storage.sql.exec<{ firing: string }>('SELECT firing FROM runs').toArray()
    return rows.map((row) => JSON.parse(row.firing) as Record<string, unknown>)
  }

  it('stores the local time with the run', () =>
    simulateSchedule({ ...BERLIN, from: spring - HOUR }, (sim) => {
      expect(sim.look(spring)).toBe(spring + 23.5 * HOUR)
      expect(firing(sim)).toEqual([
        {
          source: 'schedule',
          scheduledAt: spring,
          ...BERLIN,
          local: '2026-03-29T03:00:00+02:00',
        },
      ])
    }))

  it('fires the tick in the gap if the object was evicted over the change of the clock', () =>
    simulateSchedule({ ...BERLIN, from: spring - 20 * HOUR }, (sim) => {
      expect(sim.look(spring - 20 * HOUR)).toBe(spring)
      sim.restart()
      expect(sim.look(spring + 20 * MINUTE)).toBe(spring + 23.5 * HOUR)
      expect(sim.fired()).toEqual([spring])
    }))

  it('fires a repeated local time once if the object was evicted between its occurrences', () =>
    simulateSchedule({ ...BERLIN, from: autumn - 20 * HOUR }, (sim) => {
      const first = autumn - HOUR / 2
      sim.look(first)
      sim.restart()
      expect(sim.look(autumn + HOUR / 2)).toBe(autumn + 24.5 * HOUR)
      expect(sim.fired()).toEqual([first])
    }))

  it('counts the ticks missed in an outage over a change of the clock', () =>
    simulateSchedule({ ...BERLIN, cron: '*/30 1-3 * * *', from: spring - 12 * HOUR }, (sim) => {
      // 01:00, 01:30 and 03:30 are missed, and so is 03:00, which stands for 02:00 and 02:30 too.
      sim.look(spring + 9 * HOUR)
      expect(sim.fired()).toEqual([])
      expect(sim.skipped()).toMatchObject([
        { reason: 'missed', count: 4, scheduled_at: spring + HOUR / 2 },
      ])
    }))

  it('fires all missed ticks over a change of the clock under misfire all', () => {
    const given = { ...BERLIN, cron: '0 * * * *', options: { misfire: 'all' as const } }
    return simulateSchedule({ ...given, from: autumn - 2.5 * HOUR }, (sim) => {
      sim.look(autumn + 2 * HOUR)
      expect(sim.fired()).toEqual([-2, -1, 0, 1, 2].map((n) => autumn + n * HOUR))
    })
  })

  it('continues with an earlier tick if the rules of the time zone have changed', () =>
    simulateSchedule({ ...BERLIN, from: spring + HOUR }, (sim) => {
      const tick = spring + 23.5 * HOUR
      // The tick that an older version of the rules would give, without the change of the clock.
      sim.state.updateFields({ nextTickAt: tick + HOUR })
      expect(sim.look(spring + 2 * HOUR)).toBe(tick)
      sim.look(tick)
      expect(sim.fired()).toEqual([tick])
    }))

  it('starts again from that moment with another time zone', () =>
    simulateSchedule({ ...BERLIN, from: spring + HOUR }, (sim) => {
      const config = { ...BERLIN, timezone: 'America/New_York' }
      sim.state.change({ config }, spring + HOUR)
      expect(sim.look(spring + HOUR)).toBe(Date.parse('2026-03-29T06:30:00Z'))
    }))
})

describe('a schedule with bounds', () => {
  const BOUNDED = {
    ...QUARTERS,
    starts_at: new Date(quarter(4)).toISOString(),
    ends_at: new Date(quarter(5)).toISOString(),
  }

  it('fires no tick before or after, and then has no next tick', () =>
    simulateSchedule(BOUNDED, (sim) => {
      expect(sim.look(quarter(1))).toBe(quarter(4))
      sim.look(quarter(4))
      expect(sim.look(quarter(5))).toBeUndefined()
      sim.look(quarter(6))
      expect(sim.fired()).toEqual([quarter(4), quarter(5)])
      expect(sim.state.current!.nextTickAt).toBeNull()
    }))

  it('counts only the ticks between them as missed', () =>
    simulateSchedule(BOUNDED, (sim) => {
      sim.look(quarter(5) + 5 * HOUR)
      expect(sim.fired()).toEqual([])
      expect(sim.skipped()).toMatchObject([{ count: 2, scheduled_at: quarter(5) }])
      expect(sim.state.current!.nextTickAt).toBeNull()
    }))
})

describe('a schedule with jitter', () => {
  it('fires late, and keeps the nominal time of the tick', () =>
    simulateSchedule({ ...QUARTERS, jitter_s: 899 }, (sim) => {
      const delays: number[] = []
      for (let n = 1; n <= 12; n++) {
        const at = sim.state.current!.nextTickAt!
        delays.push(at - quarter(n))
        sim.look(at - 1)
        expect(sim.fired()).toHaveLength(n - 1)
        if (n % 3 === 0) sim.restart()
        sim.look(at)
      }
      expect(sim.fired()).toEqual(Array.from({ length: 12 }, (_, n) => quarter(n + 1)))
      expect(new Set(delays).size).toBeGreaterThan(3)
    }))
})

describe('a one-off run', () => {
  const once = (at: number, over: object = {}) => ({
    at: new Date(at).toISOString(),
    from: NOON + 1,
    ...over,
  })

  it('fires once, and a PATCH with a new time arms it again', () =>
    simulateSchedule(once(quarter(1)), (sim) => {
      expect(sim.look(NOON + 1)).toBe(quarter(1))
      expect(sim.look(quarter(1))).toBeUndefined()
      expect(sim.state.current!.nextTickAt).toBeNull()
      sim.state.change({ name: 'another', config: { at: once(quarter(1)).at } }, quarter(2))
      sim.look(quarter(2))
      expect(sim.fired()).toEqual([quarter(1)])
      sim.state.change({ config: { at: once(quarter(3)).at } }, quarter(2))
      expect(sim.look(quarter(2))).toBe(quarter(3))
      sim.look(quarter(3))
      expect(sim.fired()).toEqual([quarter(1), quarter(3)])
    }))

  it('fires when the service is back after days', () =>
    simulateSchedule(once(quarter(1)), (sim) => {
      sim.look(quarter(1) + 72 * HOUR)
      expect(sim.fired()).toEqual([quarter(1)])
      expect(sim.skipped()).toEqual([])
    }))

  it('is skipped if it was missed and misfire is skip', () =>
    simulateSchedule(once(quarter(1), { options: { misfire: 'skip' } }), (sim) => {
      sim.look(quarter(1) + 2 * MINUTE)
      expect(sim.fired()).toEqual([])
      expect(sim.skipped()).toMatchObject([{ reason: 'missed', count: 1 }])
      expect(sim.state.current!.nextTickAt).toBeNull()
    }))

  it('does not fire if the trigger is enabled after its time', () =>
    simulateSchedule(once(quarter(1)), (sim) => {
      sim.state.change({ enabled: false }, NOON + 2)
      sim.state.change({ enabled: true }, quarter(2))
      sim.look(quarter(2))
      expect(sim.fired()).toEqual([])
    }))

  it('has one run if the object was killed before it stored that there is no next tick', () =>
    simulateSchedule(once(quarter(1)), (sim) => {
      sim.look(quarter(1))
      sim.state.updateFields({ nextTickAt: quarter(1) })
      sim.restart()
      sim.look(quarter(1) + 300)
      expect(sim.fired()).toEqual([quarter(1)])
    }))
})

describe('a schedule that does not fire on time', () => {
  const late = (code: string, message: string) => ({
    kind: 'signal',
    signal: 'schedule_late',
    state: 'open',
    code,
    message,
  })

  it('reports skipped runs to its owner, and nothing if its alarm is a little late', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1) + 20_000)
      expect(sim.reports()).toEqual([])
      sim.look(quarter(4))
      expect(sim.reports()).toEqual([late('missed', '2 runs were skipped.')])
    }))

  it('reports a run that starts late', () =>
    simulateSchedule(QUARTERS, (sim) => {
      sim.look(quarter(1) + 6 * MINUTE)
      expect(sim.fired()).toEqual([quarter(1)])
      expect(sim.reports()).toEqual([late('late', 'A run started 6 minutes late.')])
    }))
})
