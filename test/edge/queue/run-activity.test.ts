import { expect, it } from 'vitest'
import { isFailing } from '../../../edge/queue/recent-failures.ts'
import { ACTIVITY_INTERVAL_MS, RunActivity } from '../../../edge/queue/run-activity.ts'
import { inTrigger, type Parts, seed } from './seeded.ts'

function activityOf({ sql, state }: Parts) {
  const clock = { now: 1_000_000_000 }
  const alarms: number[] = []
  const activity = new RunActivity({
    state,
    sql,
    counts: () => ({ hours: [], p50Ms: null, p95Ms: null }),
    now: () => clock.now,
    armBy: (at) => alarms.push(at),
  })
  return { activity, alarms, clock }
}

it('reports nothing before the first run', () =>
  inTrigger((found) => {
    const { activity, clock } = activityOf(found)
    expect(activity.isDue()).toBe(false)
    expect(activity.runDue(clock.now)).toBeUndefined()
  }))

it('reports once after it was loaded, and then only changes, at most once per interval', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 3 })
    const { activity, alarms, clock } = activityOf(found)
    expect(activity.isDue()).toBe(true)
    const report = activity.next()!
    expect(report.activity.lastRun).toMatchObject({ status: 'success', queuedAt: 3_000 })
    activity.acknowledge(report, 3)
    expect(activity.isDue()).toBe(false)
    expect(activity.runDue(clock.now)).toBeUndefined()
    activity.recordQueued()
    expect(activity.isDue()).toBe(false)
    expect(activity.runDue(clock.now)).toBe(clock.now + ACTIVITY_INTERVAL_MS)
    activity.recordChange()
    expect(alarms).toEqual([clock.now + ACTIVITY_INTERVAL_MS])
    clock.now += ACTIVITY_INTERVAL_MS
    expect(activity.isDue()).toBe(true)
  }))

it('reports the runs that the owner’s object does not know', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 5_000 })
    const { activity } = activityOf(found)
    const sent: [number, number][] = []
    // The first report does not know what the receiver has.
    for (let known = 0; activity.isDue();) {
      const report = activity.next()!
      const { first, queuedAt } = report.runs
      sent.push([first, queuedAt.length])
      if (first === known + 1) known += queuedAt.length
      activity.acknowledge(report, known)
    }
    expect(sent).toEqual([
      [4_981, 20],
      [1, 2_000],
      [2_001, 2_000],
      [4_001, 1_000],
    ])
  }))

it('reports the time of the last known run, to detect restarted sequence numbers', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 3 })
    const { activity } = activityOf(found)
    activity.acknowledge(activity.next()!, 2)
    expect(activity.next()!.runs).toMatchObject({ first: 3, queuedAt: [3_000], previousAt: 2_000 })
    found.sql.exec('DELETE FROM runs WHERE sequence = 2')
    expect(activity.next()!.runs).toMatchObject({ first: 3, previousAt: null })
  }))

it('reports all runs, without a further run, if the receiver no longer knows them', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 3 })
    const { activity, clock } = activityOf(found)
    activity.acknowledge(activity.next()!, 3)
    activity.recordQueued()
    activity.acknowledge(activity.next()!, 0)
    expect(activity.runDue(clock.now)).toBe(clock.now + ACTIVITY_INTERVAL_MS)
    expect(activity.next()!.runs).toMatchObject({ first: 1, queuedAt: [1_000, 2_000, 3_000] })
  }))

it('stops repeating a report if the receiver makes no progress', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 100 })
    const { activity } = activityOf(found)
    for (let n = 0; n < 2; n++) activity.acknowledge(activity.next()!, 10)
    expect(activity.isDue()).toBe(false)
  }))

it('reports again after a report was not acknowledged, and after the clock was set back', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 1 })
    const { activity, clock } = activityOf(found)
    activity.next()
    expect(activity.isDue()).toBe(false)
    activity.recordFailure()
    expect(activity.isDue()).toBe(true)
    activity.acknowledge(activity.next()!, 1)
    activity.recordQueued()
    clock.now -= 1_000_000
    expect(activity.isDue()).toBe(true)
  }))

it.each([
  [['failed', 'failed'], true],
  [['failed'], true],
  [['success'], false],
  [[], false],
  [['failed', 'failed', 'failed', 'failed', 'success'], false],
  [['success', 'success', 'success', 'success', 'failed'], false],
  [['success', 'success', 'failed', 'failed', 'failed'], true],
  [['failed', 'failed', 'failed', 'failed', 'success', 'failed'], true],
  [['failed', 'queued', 'running'], true],
] as const)('latest runs %j: failing is %s', (statuses, expected) =>
  inTrigger(({ sql }) => {
    statuses.forEach((status, n) => seed(sql, { count: 1, status, queuedAt: 1_000 + n }))
    expect(isFailing(sql)).toBe(expected)
  }),
)

it('ignores test runs when it decides if a trigger is failing', () =>
  inTrigger(({ sql }) => {
    seed(sql, { count: 1, status: 'success' })
    seed(sql, { count: 3, status: 'failed' })
    sql.exec(`UPDATE runs SET test = 1 WHERE status = 'failed'`)
    expect(isFailing(sql)).toBe(false)
  }))
