import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { Deliveries } from '../../../edge/queue/deliveries.ts'
import { Intake } from '../../../edge/queue/intake.ts'
import { QueueSize } from '../../../edge/queue/queue-size.ts'
import { HistoryPruner } from '../../../edge/queue/history-pruner.ts'
import { Retention, type RetentionOptions } from '../../../edge/queue/retention.ts'
import { BODY_PART_BYTES, HISTORY_RETENTION_MS } from '../../../shared/limits.ts'
import { createTrigger, fire, post, queueOf, random, runOnce, someOwner, sql } from '../app.ts'
import { noSource } from './no-source.ts'
import { inTrigger, left, type Parts, rulesOf, seed } from './seeded.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
/** Delay between the steps of a pass. */
const STEP_MS = 100
/** A time at which runs from 30 days ago have positive timestamps. */
const NOW = 100 * DAY

/** Creates a retention with real tables, and with the clock and limits of the test. */
function retention({ state, sql: tables, storage }: Parts, over: Partial<RetentionOptions> = {}) {
  const armed: number[] = []
  const made = new Retention({
    state,
    pruning: new HistoryPruner(tables),
    transaction: (work) => storage.transactionSync(work),
    isBeingWritten: () => false,
    armBy: (at) => armed.push(at),
    emptied: () => {},
    ...over,
  })
  return { made, armed, ...whole(made, tables) }
}

function whole(made: Retention, tables: SqlStorage) {
  /** Runs all steps of one pass. @returns the time of the next pass, and the number of runs deleted per step */
  const look = (now: number) => {
    const steps: number[] = []
    for (let at = now; ;) {
      const before = left(tables).length
      const next = made.runDue(at)
      const dropped = before - left(tables).length
      if (dropped === 0) return { next, steps }
      steps.push(dropped)
      at = next!
    }
  }
  return { look }
}

const count = (tables: SqlStorage, table: string) =>
  tables.exec(`SELECT count(*) AS n FROM ${table}`).one().n

describe('retention', () => {
  it('keeps runs of the last 30 days, and deletes older ones completely', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 40, queuedAt: NOW - 40 * DAY, everyMs: DAY })
      found.sql.exec("INSERT INTO body_parts SELECT sequence, 0, x'00' FROM runs")
      retention(found).look(NOW)
      expect(left(found.sql)).toEqual(Array.from({ length: 30 }, (_, i) => 11 + i))
      expect([count(found.sql, 'results'), count(found.sql, 'body_parts')]).toEqual([30, 30])
    })
  })

  it.each(['queued', 'running'])('keeps unfinished runs of any age: %s', async (status) => {
    await inTrigger((found) => {
      seed(found.sql, { count: 5, queuedAt: 1, status })
      found.sql.exec("INSERT INTO body_parts SELECT sequence, 0, x'00' FROM runs")
      seed(found.sql, { count: 5, queuedAt: DAY })
      const { look } = retention(found, { runsMax: 0, bytesMax: 0 })
      look(NOW)
      expect(left(found.sql)).toEqual([1, 2, 3, 4, 5])
      expect(count(found.sql, 'body_parts')).toBe(5)
    })
  })

  it('keeps the newest finished runs up to the limit, in addition to queued runs', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 300, queuedAt: NOW - DAY })
      seed(found.sql, { count: 50, queuedAt: NOW - HOUR, status: 'queued' })
      found.sql.exec("UPDATE runs SET status = 'queued' WHERE sequence IN (10, 20)")
      retention(found, { runsMax: 100 }).look(NOW)
      const kept = left(found.sql)
      expect(kept.slice(0, 3)).toEqual([10, 20, 201])
      expect(kept).toHaveLength(152)
    })
  })

  it('limits the total size of bodies and results, including bodies in parts', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 20, queuedAt: NOW - DAY, bodyBytes: 100_000, resultBytes: 50_000 })
      found.sql.exec(
        'INSERT INTO body_parts SELECT sequence, 0, zeroblob(100000) FROM runs WHERE sequence > 10',
      )
      found.sql.exec('UPDATE runs SET body = NULL WHERE sequence > 10')
      retention(found, { bytesMax: 15 * 150_000 }).look(NOW)
      expect(left(found.sql)).toEqual(Array.from({ length: 15 }, (_, i) => 6 + i))
    })
  })
})

describe('a pass', () => {
  it('deletes at most 200 runs per step', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 1_000, queuedAt: NOW - DAY })
      const { look } = retention(found, { runsMax: 450 })
      expect(look(NOW).steps).toEqual([200, 200, 150])
    })
  })

  it('deletes at most 8 MiB per step, or one larger run', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 12, queuedAt: 1, bodyBytes: BODY_PART_BYTES, resultBytes: 0 })
      seed(found.sql, { count: 2, queuedAt: 1 })
      found.sql.exec('UPDATE runs SET body = NULL, body_bytes = 9000000 WHERE sequence > 12')
      expect(retention(found).look(NOW).steps).toEqual([7, 5, 1, 1])
    })
  })

  it('resumes where it stopped after a restart', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 500, queuedAt: NOW - DAY })
      retention(found, { runsMax: 100 }).made.runDue(NOW)
      expect(left(found.sql)).toHaveLength(300)
      found.state.load()
      retention(found, { runsMax: 100 }).look(NOW)
      expect(left(found.sql)).toHaveLength(100)
    })
  })

  it('is due when the oldest run expires, but at most once an hour', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 3, queuedAt: NOW, everyMs: 10_000 })
      const { look, made } = retention(found)
      expect(look(NOW + HOUR).next).toBe(NOW + HISTORY_RETENTION_MS)
      // The alarm often rings for other reasons.
      expect(made.runDue(NOW + 2 * HOUR)).toBe(NOW + HISTORY_RETENTION_MS)
      const next = look(NOW + HISTORY_RETENTION_MS + 1)
      expect(next).toEqual({ next: NOW + HISTORY_RETENTION_MS + 1 + STEP_MS + HOUR, steps: [1] })
      expect(look(next.next!)).toEqual({ next: undefined, steps: [2] })
    })
  })

  it('is not scheduled if nothing has finished, so an idle object sleeps', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 300, queuedAt: 1, status: 'queued' })
      expect(retention(found, { runsMax: 10 }).look(NOW).next).toBeUndefined()
    })
  })

  it('is due within a minute of the first run above the limit', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 10, queuedAt: NOW })
      const { made, armed, look } = retention(found, { runsMax: 12 })
      look(NOW)
      for (let i = 0; i < 2; i++) made.recordEnd(NOW + i)
      expect(armed.filter((at) => at < NOW + DAY)).toEqual([])
      seed(found.sql, { count: 3, queuedAt: NOW })
      for (let i = 0; i < 5; i++) made.recordEnd(NOW + 10 + i)
      expect(armed.filter((at) => at < NOW + DAY)).toEqual([NOW + 10 + 60_000])
      expect(look(NOW + 10 + 60_000).steps).toEqual([1])
    })
  })

  it('is not delayed when a clock that was ahead is set back', async () => {
    await inTrigger((found) => {
      const { look } = retention(found)
      look(NOW + 365 * DAY)
      seed(found.sql, { count: 3, queuedAt: NOW - 31 * DAY, everyMs: 1 })
      expect(look(NOW).steps).toEqual([3])
    })
  })
})

describe('after a pass', () => {
  it('offsets stay correct, even if sequences restart', async () => {
    await inTrigger((found) => {
      seed(found.sql, { count: 30, queuedAt: 1 })
      const { look } = retention(found)
      look(NOW)
      expect([left(found.sql), found.state.row!.prunedThrough]).toEqual([[], 0])
      seed(found.sql, { count: 5, queuedAt: NOW, everyMs: 1 })
      found.sql.exec("UPDATE runs SET status = 'queued' WHERE sequence = 2")
      look(NOW + HISTORY_RETENTION_MS + 3)
      expect([left(found.sql), found.state.row!.prunedThrough]).toEqual([[2, 4, 5], 3])
    })
  })

  it('keeps revisions of the trigger, of stored runs, and of runs that are being stored', async () => {
    await inTrigger((found) => {
      for (const actionCode of ['2', '3', '4', '5', '6'])
        found.state.change({ actionCode, actionCid: actionCode }, NOW)
      seed(found.sql, { count: 5, queuedAt: NOW - 31 * DAY, revision: 2 })
      seed(found.sql, { count: 5, queuedAt: NOW, revision: 3 })
      retention(found, { isBeingWritten: (revision) => revision === 4 }).look(NOW)
      const kept = found.sql.exec('SELECT revision FROM revisions ORDER BY revision').toArray()
      expect(kept.map(({ revision }) => revision)).toEqual([3, 4, 6])
    })
  })

  it('keeps the revision of an accepted run until it is stored, even an old one', async () => {
    await inTrigger(async (found) => {
      found.state.change({ enabled: true, actionCode: '2', actionCid: '2' }, NOW)
      const disk = Promise.withResolvers<void>()
      const intake = new Intake({
        ...rulesOf(found),
        state: found.state,
        store: found.store,
        queueSize: new QueueSize(),
        deliveries: new Deliveries(found.sql),
        gate: noSource,
        now: () => NOW,
        random,
        transaction: (work) => found.storage.transactionSync(work),
        sync: () => disk.promise,
        inserted: () => {},
        committed: () => {},
        immediateStarts: () => undefined,
        adopt: () => {},
        expectDue: () => {},
      })
      const firing = JSON.stringify({ source: 'params' })
      const arrival = { firing, body: new Uint8Array() }
      const accepted = [intake.accept({ ...arrival, revision: 1 }), intake.accept(arrival)]
      // The trigger changes in the meantime.
      found.state.change({ actionCode: '3', actionCid: '3' }, NOW)
      expect([1, 2, 3].map((revision) => intake.isBeingWritten(revision))).toEqual([
        true,
        true,
        false,
      ])
      disk.resolve()
      await Promise.all(accepted)
      expect([1, 2, 3].map((revision) => intake.isBeingWritten(revision))).toEqual([
        false,
        false,
        false,
      ])
      const rows = found.sql.exec('SELECT revision FROM runs ORDER BY sequence').toArray()
      expect(rows.map(({ revision }) => revision)).toEqual([1, 2])
    })
  })

  it('storage exhaustion: many changes do not fill the storage with unused revisions', async () => {
    await inTrigger((found) => {
      const { made } = retention(found)
      for (let i = 0; i < 100; i++) {
        found.state.change({ actionCode: String(i), actionCid: String(i) }, NOW)
        made.runDue(NOW + i)
        expect(count(found.sql, 'revisions')).toBeLessThanOrEqual(17)
      }
    })
  })

  it('deletes skipped ticks after 30 days', async () => {
    await inTrigger((found) => {
      for (const at of [NOW - 31 * DAY, NOW - 29 * DAY])
        found.sql.exec(
          "INSERT INTO skipped_ticks (reason, count, scheduled_at, recorded_at) VALUES ('missed', 1, 1, ?)",
          at,
        )
      retention(found).look(NOW)
      expect(count(found.sql, 'skipped_ticks')).toBe(1)
    })
  })
})

it('deletes expired runs at the alarm of a real trigger, and replays still work', async () => {
  const owner = await someOwner()
  const { id } = await createTrigger(owner)
  const old = await runOnce(owner, await fire(id))
  const young = await runOnce(owner, await fire(id))
  const age = HISTORY_RETENTION_MS + 1
  await sql(id, 'UPDATE runs SET queued_at = queued_at - ? WHERE suffix = ?', age, old.id.slice(32))
  // Starts a new incarnation; its first alarm runs a pass.
  await runInDurableObject(queueOf(id), (_, state) => state.storage.setAlarm(Date.now()))
  await runInDurableObject(queueOf(id), (_, state) => state.abort('killed')).catch(() => {})
  await runDurableObjectAlarm(queueOf(id))
  expect((await owner.api(`/api/runs/${old.id}`)).status).toBe(404)
  const { path, init } = post(`/api/runs/${young.id}/replay`, { code: 'original' })
  const replayed: { run_id: string } = await (await owner.api(path, init)).json()
  expect((await runOnce(owner, replayed.run_id)).status).toBe('success')
})

it('says when it has deleted the last run, so that lists no longer show it', () =>
  inTrigger((found) => {
    seed(found.sql, { count: 2, queuedAt: NOW - 40 * DAY, everyMs: 20 * DAY })
    let emptied = 0
    const { look } = retention(found, { emptied: () => emptied++ })
    look(NOW)
    expect([left(found.sql), emptied]).toEqual([[2], 0])
    look(NOW + 20 * DAY)
    expect([left(found.sql), emptied]).toEqual([[], 1])
  }))
