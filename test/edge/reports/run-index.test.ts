import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { ActivityReport, QueuedRuns } from '../../../edge/reports/activity.ts'
import { TriggerActivities } from '../../../edge/reports/trigger-activities.ts'
import { RunIndex, readRunReferences, type RunReference } from '../../../edge/reports/run-index.ts'
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts'
import { env, someOwner } from '../app.ts'

const START = 1_000 * HOUR_MS

type Found = { sql: SqlStorage; index: RunIndex }

async function inIndex(test: (found: Found) => void): Promise<void> {
  const { id } = await someOwner()
  await runInDurableObject(env.USER_REPORTS.getByName(id), async (instance, { storage }) => {
    // Creates the tables.
    await (instance as unknown as { alertSettings(): Promise<unknown> }).alertSettings()
    test({ sql: storage.sql, index: new RunIndex(storage.sql) })
  })
}

const runs = (first: number, queuedAt: number[], over: object = {}) => ({
  first,
  queuedAt,
  previousAt: null,
  last: first + queuedAt.length - 1,
  prunedThrough: 0,
  ...over,
})

/** Reads all pages. */
function allPages(sql: SqlStorage, limit: number, over: object = {}): RunReference[] {
  const all: RunReference[] = []
  for (let after: RunReference | undefined; ;) {
    const page = readRunReferences(sql, { limit, after, ...over })
    all.push(...page.runs)
    after = page.runs.at(-1)
    if (page.isComplete) return all
    expect(page.runs).toHaveLength(limit)
  }
}

const sorted = (all: readonly RunReference[]) =>
  all.toSorted(
    (a, b) =>
      b.queuedAt - a.queuedAt ||
      (a.triggerId < b.triggerId ? 1 : a.triggerId > b.triggerId ? -1 : 0) ||
      b.sequence - a.sequence,
  )

/** Adds the same runs to the index and to the returned list, in several reports. */
function addRandomly(index: RunIndex): RunReference[] {
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % below
  }
  const all: RunReference[] = []
  for (const triggerId of ['a', 'b', 'c', 'd']) {
    let [known, at, next] = [0, START, 1]
    for (let report = 0; report < 12; report++) {
      const times = Array.from({ length: random(120) }, () => {
        // Equal times occur, and gaps of hours.
        at += [0, 0, 50, 40_000, 3 * HOUR_MS][random(5)]!
        return at
      })
      known = index.add(triggerId, runs(next, times), known)
      all.push(...times.map((queuedAt, n) => ({ triggerId, sequence: next + n, queuedAt })))
      next += times.length
      expect(known).toBe(next - 1)
    }
  }
  return all
}

it('returns the runs of all triggers in order of time, whatever the size of a page', () =>
  inIndex(({ sql, index }) => {
    const all = sorted(addRandomly(index))
    for (const limit of [1, 7, 100, 10_000]) expect(allPages(sql, limit)).toEqual(all)
  }))

it('filters by trigger and time', () =>
  inIndex(({ sql, index }) => {
    const all = sorted(addRandomly(index))
    const [since, until] = [all.at(-200)!.queuedAt, all.at(100)!.queuedAt]
    const inRange = all.filter(({ queuedAt }) => queuedAt >= since && queuedAt < until)
    expect(allPages(sql, 50, { since, until })).toEqual(inRange)
    const ofOne = all.filter(({ triggerId }) => triggerId === 'b')
    expect(allPages(sql, 50, { triggerId: 'b' })).toEqual(ofOne)
  }))

it('writes one row for the runs of an hour, and a further one for each 500 runs', () =>
  inIndex(({ sql, index }) => {
    const rows = () => sql.exec('SELECT first, last FROM run_index ORDER BY first').toArray()
    let known = index.add('a', runs(1, [START, START + 1]), 0)
    known = index.add('a', runs(3, [START + MINUTE_MS]), known)
    expect(rows()).toEqual([{ first: 1, last: 3 }])
    const many = Array.from({ length: 1_000 }, (_, n) => START + 2 * MINUTE_MS + n)
    known = index.add('a', runs(4, many), known)
    expect(known).toBe(1_003)
    expect(rows()).toEqual([
      { first: 1, last: 500 },
      { first: 501, last: 1_000 },
      { first: 1_001, last: 1_003 },
    ])
  }))

it('ignores repeated runs, and asks for missing ones', () =>
  inIndex(({ sql, index }) => {
    const known = index.add('a', runs(1, [START, START + 1, START + 2]), 0)
    expect(index.add('a', runs(2, [START + 1, START + 2, START + 3]), known)).toBe(4)
    expect(index.add('a', runs(9, [START + 9]), 4)).toBe(4)
    expect(allPages(sql, 10).map(({ sequence }) => sequence)).toEqual([4, 3, 2, 1])
  }))

it('deletes segments whose runs retention has deleted', () =>
  inIndex(({ sql, index }) => {
    const times = [START, START + HOUR_MS, START + 2 * HOUR_MS]
    const known = index.add('a', runs(1, times), 0)
    index.add('a', runs(4, [START + 3 * HOUR_MS], { prunedThrough: 2 }), known)
    expect(allPages(sql, 10).map(({ sequence }) => sequence)).toEqual([4, 3])
    // Everything before the retained runs was deleted before it was reported.
    expect(index.add('b', runs(11, [START], { prunedThrough: 10 }), 0)).toBe(11)
  }))

it('reads few rows for a page, although a thousand triggers have runs in the same hour', () =>
  inIndex(({ sql, index }) => {
    for (let n = 0; n < 1_000; n++) index.add(`trigger-${n}`, runs(1, [START + n, START + n]), 0)
    let rowsRead = 0
    const counting = {
      exec: (...args: Parameters<SqlStorage['exec']>) => {
        const cursor = sql.exec(...args)
        const rows = cursor.toArray()
        rowsRead += cursor.rowsRead
        return { toArray: () => rows, one: () => rows[0]! }
      },
    } as unknown as SqlStorage
    const page = readRunReferences(counting, { limit: 50 })
    expect(page.runs).toHaveLength(50)
    expect(rowsRead).toBeLessThan(3_000)
  }))

const report = (queued: QueuedRuns): ActivityReport => ({
  activity: { at: START, lastRun: null, isFailing: false, hours: [], p50Ms: null, p95Ms: null },
  runs: queued,
})

/** Records reports of one trigger. @returns the known sequence number after each of them, and the indexed runs */
function record(sql: SqlStorage, reports: readonly QueuedRuns[]) {
  const activities = new TriggerActivities(sql)
  const batch = { triggerId: 'a', epoch: 1, name: 'a', reports: [] }
  const known = reports.map((queued) => activities.record(batch, report(queued)))
  const indexed = allPages(sql, 10).map(({ sequence, queuedAt }) => [sequence, queuedAt - START])
  return { known, indexed }
}

it('replaces the runs of a trigger whose sequence numbers started again, although no number is lower', () =>
  inIndex(({ sql }) => {
    const month = 31 * 24 * HOUR_MS
    const { known, indexed } = record(sql, [runs(1, [START]), runs(1, [START + month])])
    expect(known).toEqual([1, 1])
    expect(indexed).toEqual([[1, month]])
  }))

it('asks for all runs if more runs than before were queued after the sequence numbers started again', () =>
  inIndex(({ sql }) => {
    const { known, indexed } = record(sql, [
      runs(1, [START, START + 1]),
      // The sender still knows that the receiver had two runs.
      runs(3, [START + 9], { previousAt: START + 8 }),
      runs(1, [START + 7, START + 8, START + 9]),
    ])
    expect(known).toEqual([2, 0, 3])
    expect(indexed).toEqual([
      [3, 9],
      [2, 8],
      [1, 7],
    ])
  }))

it('continues if the last known run is unchanged, or was deleted', () =>
  inIndex(({ sql }) => {
    const { known } = record(sql, [
      runs(1, [START, START + 1]),
      runs(3, [START + 2], { previousAt: START + 1 }),
      runs(5, [START + 4], { prunedThrough: 4 }),
    ])
    expect(known).toEqual([2, 3, 5])
  }))
