import { PendingReports } from '../../../edge/reports/pending-reports.ts'
import { RunKeys } from '../../../edge/queue/run-keys.ts'
import { describe, expect, it } from 'vitest'
import { LiveRuns } from '../../../edge/queue/live-runs.ts'
import { StoredStarts } from '../../../edge/queue/start-window.ts'
import { simulate } from './simulation.ts'

/** Wraps storage to count the rows that statements read. */
function watched(storage: DurableObjectStorage) {
  let read = 0
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const sql = {
    exec: (query: string, ...values: unknown[]) => {
      const cursor = storage.sql.exec(query, ...values)
      cursors.push(cursor)
      return cursor
    },
  } as unknown as SqlStorage
  const counted = {
    sql,
    transactionSync: <T>(work: () => T) => storage.transactionSync(work),
  } as unknown as DurableObjectStorage
  const rowsRead = () => {
    read += cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsRead, 0)
    return read
  }
  return {
    live: new LiveRuns(counted, new StoredStarts(sql), new PendingReports(sql), keysOf(sql)),
    rowsRead,
  }
}

/** Keys of a trigger that has none. */
const keysOf = (sql: SqlStorage) => new RunKeys(sql, { current: undefined, updateFields: () => {} })

/** Wraps storage to record the query plan of each statement. */
function planned(storage: DurableObjectStorage) {
  const plans: string[][] = []
  const exec = (query: string, ...values: SqlStorageValue[]) => {
    const steps = storage.sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values)
    plans.push(steps.toArray().map(({ detail }) => detail))
    return storage.sql.exec(query, ...values)
  }
  const sql = { exec } as unknown as SqlStorage
  const noting = { sql } as unknown as DurableObjectStorage
  return {
    live: new LiveRuns(noting, new StoredStarts(sql), new PendingReports(sql), keysOf(sql)),
    plans,
  }
}

const seedEnded = (sql: SqlStorage, count: number) =>
  sql.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO runs (suffix, status, revision, queued_at, firing, body_bytes, attempt)
     SELECT 'ended' || i, 'success', 1, i, '{}', 0, 1 FROM n`,
    count,
  )

describe('a query of the queue', () => {
  it('reads only live runs, however long the history is', () =>
    simulate({ enabled: false }, async (sim) => {
      seedEnded(sim.storage.sql, 5_000)
      await sim.add(3)
      const { live, rowsRead } = watched(sim.storage)
      const run = live.next(sim.now, false)!
      live.next(sim.now, true)
      live.nextRetryAt(sim.now)
      live.longestWait('payment')
      live.anyQueued()
      const started = live.start(run, sim.now, 1)
      live.extendLeases([started.sequence], sim.now)
      live.recoverAbandoned(sim.now, true)
      live.dropUnusedKeys(1)
      live.finish(started, 'success', { response: 1, error: null, logs: [] }, sim.now)
      expect(rowsRead()).toBeLessThan(60)
    }))

  it('for runs behind a blocked revision reads only the index, and no bodies', () =>
    simulate({ enabled: false }, async (sim) => {
      await sim.add(3)
      const { live, plans } = planned(sim.storage)
      // Revision 1 is the only one, so nothing is found after reading the whole queue.
      expect(live.next(sim.now, false, [1])).toBeUndefined()
      expect(live.anyQueuedOf([2])).toBe(false)
      expect(plans.map((steps) => steps.filter((step) => /\bruns/.test(step)))).toEqual([
        [expect.stringContaining('USING COVERING INDEX runs_live')],
        [expect.stringContaining('USING COVERING INDEX runs_live')],
      ])
    }))

  it('for a start reads a few rows, however many runs are queued', () =>
    simulate({ enabled: false }, async (sim) => {
      await sim.add(5_000)
      const { live, rowsRead } = watched(sim.storage)
      const run = live.next(sim.now, false)!
      live.start(run, sim.now, 1)
      expect(rowsRead()).toBeLessThan(10)
    }))
})

it('double result: ignores the result of an attempt that is no longer in flight', () =>
  simulate({ enabled: false }, async (sim) => {
    await sim.add(1)
    const live = new LiveRuns(
      sim.storage,
      new StoredStarts(sim.storage.sql),
      new PendingReports(sim.storage.sql),
      keysOf(sim.storage.sql),
    )
    const first = live.start(live.next(sim.now, false)!, sim.now, 1)
    const again = { attempt: 1, nextAttemptAt: null, waitingFor: null, inDoubtSince: null }
    expect(live.requeue(first, again, sim.now)).toBe(true)
    const second = live.start(live.next(sim.now, false)!, sim.now, 1)
    const resultOf = (response: number) => ({ response, error: null, logs: [] })
    expect(live.finish(first, 'failed', resultOf(1), sim.now)).toBeUndefined()
    expect(live.finish(second, 'success', resultOf(2), sim.now)).toEqual({ isTest: false })
    expect(sim.result()).toMatchObject({ response: 2 })
  }))

it('fails a run with params that the origin would reject, without sending it', () =>
  simulate({}, async (sim) => {
    const firing = JSON.stringify({ source: 'webhook', receivedAt: 1, headers: {} })
    const body = new Uint8Array(2 * 1024 * 1024).fill(1)
    sim.store.insert([{ suffix: 'large', revision: 1, queuedAt: 1, firing, body }])
    sim.state.updateFields({ originAwaySince: 1 })
    await sim.restart()
    expect(sim.calls).toEqual([])
    expect(sim.result().error).toMatch(/^413 payload_too_large: js_params/)
    expect(sim.state.current!.originAwaySince).toBe(1)
  }))

it('sends a run with its full body, stored in one row or in parts', () =>
  simulate({}, async (sim) => {
    for (const bytes of [0, 10, 1024 * 1024, 1024 * 1024 + 1, 2 * 1024 * 1024]) {
      const body = new Uint8Array(bytes).fill(7)
      const suffix = `body-of-${bytes}`
      sim.store.insert([{ suffix, revision: 1, queuedAt: 1, firing: '{}', body }])
      const { sequence } = sim.storage.sql
        .exec<{ sequence: number }>('SELECT sequence FROM runs WHERE suffix = ?', suffix)
        .one()
      expect(sim.store.input(sequence)).toEqual({ firing: '{}', body })
    }
  }))
