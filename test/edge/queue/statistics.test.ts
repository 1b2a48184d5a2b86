import { describe, expect, it } from 'vitest'
import {
  type FinishedRun,
  runsEndedSince,
  countLiveRuns,
} from '../../../edge/queue/statistics-queries.ts'
import { Statistics } from '../../../edge/queue/statistics.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  fire,
  kill,
  type Owner,
  post,
  queueOf,
  runOnce,
  someOwner,
  sql,
} from '../app.ts'
import { inTrigger, seed, watched } from './seeded.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

function counted(onDisk: FinishedRun[] = []) {
  const clock = { now: 100 * DAY }
  const statistics = new Statistics({
    now: () => clock.now,
    endedSince: (time) => onDisk.filter(({ finishedAt }) => finishedAt > time),
    skippedSince: () => 7,
    eventsSince: () => ({
      filtered: 3,
      filter_errors: 2,
      key_errors: 1,
      deduplicated: 4,
      lastError: { at: clock.now, text: 'filter: No such key: a' },
    }),
    rejected: () => undefined,
    queueStatus: () => ({ queued: 2, running: 1, oldestQueuedAt: clock.now - 5_000 }),
  })
  return { clock, statistics }
}

const success = (finishedAt: number, ms = 10): FinishedRun => ({
  status: 'success',
  startedAt: finishedAt - ms,
  finishedAt,
})

describe('counters', () => {
  it('cover the last 24 hours: older runs drop out, and finished runs are added', () => {
    const { clock, statistics } = counted([
      success(100 * DAY - 1 * HOUR),
      { status: 'failed', startedAt: null, finishedAt: 100 * DAY - 23 * HOUR },
      success(100 * DAY - 25 * HOUR),
    ])
    expect(statistics.read()).toMatchObject({ window: '24h', ok: 1, failed: 1, skipped: 7 })
    expect(statistics.read()).toMatchObject({
      filtered: 3,
      filter_errors: 2,
      key_errors: 1,
      deduplicated: 4,
      last_expression_error: { error: 'filter: No such key: a' },
    })
    clock.now += 2 * HOUR
    statistics.add(success(clock.now))
    expect(statistics.read()).toMatchObject({ ok: 2, failed: 0 })
    clock.now += 2 * DAY
    expect(statistics.read()).toMatchObject({ ok: 0, failed: 0, p50_ms: null, p95_ms: null })
  })

  it('include a run that finished before the first read only once', () => {
    const onDisk: FinishedRun[] = []
    const { clock, statistics } = counted(onDisk)
    const run = success(clock.now)
    onDisk.push(run)
    statistics.add(run)
    expect(statistics.read().ok).toBe(1)
    expect(statistics.read().ok).toBe(1)
  })

  it('include percentiles of the durations of started runs', () => {
    const { clock, statistics } = counted()
    statistics.read()
    for (let ms = 100; ms >= 1; ms--) statistics.add(success(clock.now, ms))
    statistics.add({ status: 'failed', startedAt: null, finishedAt: clock.now })
    expect(statistics.read()).toMatchObject({ p50_ms: 50, p95_ms: 95, ok: 100, failed: 1 })
  })

  it('include percentiles of only the latest thousand runs', () => {
    const { clock, statistics } = counted()
    statistics.read()
    for (let i = 0; i < 5_000; i++) statistics.add(success(clock.now, 9))
    for (let i = 0; i < 1_000; i++) statistics.add(success(clock.now, 3))
    expect(statistics.read()).toMatchObject({ ok: 6_000, p50_ms: 3, p95_ms: 3 })
  })

  it('include no negative durations if the clock was set back during a run', () => {
    const { clock, statistics } = counted()
    statistics.read()
    statistics.add(success(clock.now, -HOUR))
    expect(statistics.read().p50_ms).toBe(0)
  })
})

describe('the query for counters', () => {
  it('reads only part of a long history, newest first', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 12_000, queuedAt: 100 * DAY, everyMs: 1 })
      const { storage, rowsRead } = watched(found.storage)
      expect(runsEndedSince(storage.sql, 0)).toHaveLength(10_000)
      expect(rowsRead()).toBeLessThanOrEqual(10_000)
    })
  })

  it('reads at most 64 MiB of bodies', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 100, queuedAt: 100 * DAY, everyMs: 1, bodyBytes: 1_000_000 })
      expect(runsEndedSince(found.sql, 0)).toHaveLength(67)
    })
  })

  it('stops at runs that were queued two days before the window', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 100, queuedAt: DAY, everyMs: HOUR })
      expect(runsEndedSince(found.sql, 4 * DAY)).toHaveLength(28)
    })
  })

  it('reads few rows for live runs next to ten thousand finished ones', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 10_000 })
      seed(found.sql, { count: 4, queuedAt: 20_000_000, status: 'queued' })
      seed(found.sql, { count: 2, queuedAt: 30_000_000, status: 'running' })
      const { storage, rowsRead } = watched(found.storage)
      expect(countLiveRuns(storage.sql)).toEqual({ running: 2, oldestQueuedAt: 20_000_000 })
      expect(rowsRead()).toBeLessThan(15)
    })
  })
})

function fireTest(owner: Owner, id: string): Promise<Response> {
  const { path, init } = post(`/api/triggers/${id}/test`, { event: {} })
  return owner.api(path, init)
}

describe('a trigger', () => {
  it('shows its counters, unchanged after its object restarts', async () => {
    const owner = await someOwner()
    const created = await createTrigger(owner, { max_runs_per_minute: 2 })
    const none = {
      ok: 0,
      failed: 0,
      skipped: 0,
      filtered: 0,
      filter_errors: 0,
      key_errors: 0,
      deduplicated: 0,
      last_expression_error: null,
      p50_ms: null,
      p95_ms: null,
    }
    const empty = { window: '24h', ...none, queued: 0, running: 0, oldest_queued_at: null }
    expect(created.stats).toEqual(empty)
    for (let i = 0; i < 2; i++) await runOnce(owner, await fire(created.id))
    await fire(created.id)
    const read = async (): Promise<TriggerRecord> =>
      (await owner.api(`/api/triggers/${created.id}`)).json()
    const { stats } = await read()
    const times = { p50_ms: expect.any(Number), p95_ms: expect.any(Number) }
    const oldest = { oldest_queued_at: expect.stringMatching(/^20/) }
    expect(stats).toEqual({ ...empty, ok: 2, queued: 1, ...times, ...oldest })
    await kill(created.id)
    expect((await read()).stats).toEqual(stats)
  })

  it('leaves test runs and their replays out of its counters and charts', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    const counted = async () => {
      const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
      const glance = await queueOf(id).glance(owner.id, { limit: 1 }, '24h')
      const charted = glance!.chart!.buckets.reduce((sum, { ok }) => sum + ok, 0)
      return [record.stats!.ok, charted]
    }
    // The first read loads the counters. The test run is first added in memory, and then read from disk.
    expect(await counted()).toEqual([0, 0])
    const tested = await fireTest(owner, id)
    const { run_id } = await tested.json<{ run_id: string }>()
    expect((await runOnce(owner, run_id)).test).toBe(true)
    const replayed = await owner.api(`/api/runs/${run_id}/replay`, { method: 'POST' })
    const replay = await runOnce(owner, (await replayed.json<{ run_id: string }>()).run_id)
    expect(replay.test).toBe(true)
    await runOnce(owner, await fire(id))
    expect(await counted()).toEqual([1, 1])
    await kill(id)
    expect(await counted()).toEqual([1, 1])
  })

  it('leaves cancelled test runs out of its counters', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { max_runs_per_minute: 1 })
    await runOnce(owner, await fire(id))
    await owner.api(`/api/triggers/${id}`)
    await fireTest(owner, id)
    await fire(id)
    await owner.api(`/api/triggers/${id}/purge`, { method: 'POST' })
    const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
    expect(record.stats).toMatchObject({ ok: 1, failed: 1, queued: 0 })
  })

  it('counts skipped ticks', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    for (const ago of [HOUR, 25 * HOUR])
      await sql(
        id,
        "INSERT INTO skipped_ticks (reason, count, scheduled_at, recorded_at) VALUES ('missed', 3, 1, ?)",
        Date.now() - ago,
      )
    const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
    expect(record.stats!.skipped).toBe(3)
  })

  it('has no counters in a list', async () => {
    const owner = await someOwner()
    await createTrigger(owner)
    const [listed]: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    expect(listed).not.toHaveProperty('stats')
  })
})
