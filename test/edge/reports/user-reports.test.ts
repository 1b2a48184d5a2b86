import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { PendingReports } from '../../../edge/reports/pending-reports.ts'
import { ReportOutbox } from '../../../edge/reports/report-outbox.ts'
import type { FailedRunReport, ReportBatch } from '../../../edge/reports/report.ts'
import type { UserReports } from '../../../edge/reports/user-reports.ts'
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts'
import { FAILED_RUNS_MAX } from '../../../shared/limits.ts'
import {
  createTrigger,
  env,
  fire,
  kill,
  type Owner,
  post,
  queueOf,
  runOnce,
  script,
  slow,
  someOwner,
  sql,
  success,
} from '../app.ts'
import { inTrigger } from '../queue/seeded.ts'
import { away, endedWith, refused, type Simulation, simulate } from '../queue/simulation.ts'

const reportsOf = (userId: string) =>
  env.USER_REPORTS.getByName(userId) as unknown as DurableObjectStub<UserReports>

type Row = Record<string, SqlStorageValue>

const rowsOf = (userId: string, table = 'failed_runs'): Promise<Row[]> =>
  runInDurableObject(reportsOf(userId), (_, { storage }) =>
    storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'reporters'").toArray().length > 0
      ? storage.sql.exec(`SELECT * FROM ${table}`).toArray()
      : [],
  )

const until = (userId: string, count: number) =>
  vi.waitUntil(
    async () => {
      const rows = await rowsOf(userId)
      return rows.length === count && rows
    },
    { timeout: 10_000, interval: 20 },
  )

const throwing = script({
  outcome: {
    status: 'failed',
    action_cid: 'cid',
    duration_ms: 1,
    charged_cents: 0,
    logs: [],
    code: 'action_threw',
    message: 'Error: No price.',
    stack: 'Error: No price.\n    at main (action.js:3:9)',
  },
})

async function failOnce(owner: Owner): Promise<{ id: string; runId: string }> {
  const { id } = await createTrigger(owner, { action_code: throwing })
  const runId = await fire(id)
  expect((await runOnce(owner, runId)).status).toBe('failed')
  return { id, runId }
}

const failed = (number: number, over: Partial<FailedRunReport> = {}) => ({
  number,
  report: {
    kind: 'run_failed' as const,
    suffix: `suffix-${number}`,
    queuedAt: Date.now(),
    finishedAt: Date.now(),
    attempt: 1,
    error: { code: 'action_threw', message: 'Error: No.', frame: null },
    ...over,
  },
})
const NO_ACTIVITY = {
  isDue: () => false,
  next: () => undefined,
  acknowledge: () => {},
  recordFailure: () => {},
}

const batch = (...reports: ReportBatch['reports']) => ({
  triggerId: 'trigger',
  epoch: 1,
  name: 'orders',
  reports,
})

describe('a failed run', () => {
  it('is reported to the object of its owner, and then deleted from the outbox', async () => {
    const owner = await someOwner()
    const { id, runId } = await failOnce(owner)
    const [row] = await until(owner.id, 1)
    expect(row).toMatchObject({
      trigger_id: id,
      suffix: runId.slice(id.length),
      attempt: 1,
      code: 'action_threw',
      message: 'Error: No price.',
      frame: 'at main (action.js:3:9)',
    })
    await vi.waitFor(async () => expect(await sql(id, 'SELECT * FROM reports')).toEqual([]))
  })

  it('is not reported if it succeeded, was a test or was cancelled', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    await runOnce(owner, await fire(id))
    const test = await createTrigger(owner, { action_code: throwing })
    const tested = post(`/api/triggers/${test.id}/test`, { event: {} })
    const { run_id } = await (await owner.api(tested.path, tested.init)).json<{ run_id: string }>()
    expect((await runOnce(owner, run_id)).status).toBe('failed')
    const busy = await createTrigger(owner, {
      action_code: script(slow(2_000)),
      options: { concurrency: 1 },
    })
    await fire(busy.id)
    const queued = await fire(busy.id)
    expect((await owner.api(`/api/runs/${queued}/cancel`, { method: 'POST' })).status).toBe(200)
    for (const trigger of [id, test.id, busy.id])
      expect(await sql(trigger, 'SELECT * FROM reports')).toEqual([])
    expect(await rowsOf(owner.id)).toEqual([])
  })

  it('is reported if the origin was unavailable for a day', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(2)
      await sim.advance(10 * MINUTE_MS)
      sim.setClock(DAY_MS)
      await sim.advance(10 * MINUTE_MS)
      expect(sim.statuses()).toEqual(['failed', 'failed'])
      const failures = reportsIn(sim).filter(({ kind }) => kind === 'run_failed')
      expect(failures).toMatchObject([
        { error: { code: 'origin_away' } },
        { error: { code: 'origin_away' } },
      ])
    }))

  it('is reported by the alarm if the object was killed before it sent the report', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    await runInDurableObject(queueOf(id), (_, { storage }) =>
      new PendingReports(storage.sql).add(failed(1).report),
    )
    await kill(id)
    await runInDurableObject(queueOf(id), (_, { storage }) => storage.setAlarm(Date.now()))
    await until(owner.id, 1)
  })

  it('is still pending after the owner’s object did not answer, and is sent again', () =>
    inTrigger(async ({ state, sql: storage }) => {
      const pending = new PendingReports(storage)
      const sent: number[][] = []
      let answers = false
      let now = Date.now()
      const outbox = new ReportOutbox({
        state,
        pending,
        activity: NO_ACTIVITY,
        receiver: () => ({
          report: async ({ reports }) => {
            sent.push(reports.map(({ number }) => number))
            if (!answers) throw new Error('away')
            return { knownThrough: null }
          },
          forget: async () => {},
        }),
        now: () => now,
        sleep: () => new Promise(() => {}),
        log: () => {},
      })
      for (let n = 0; n < 501; n++) pending.add(failed(n).report)
      await outbox.flush()
      expect(pending.oldest(1_000)).toHaveLength(501)
      answers = true
      const due = outbox.runDue(now, () => {})!
      expect(due).toBeGreaterThan(now)
      now = due
      const work: Promise<void>[] = []
      outbox.runDue(now, (delivery) => void work.push(delivery))
      await Promise.all(work)
      expect(sent.map((numbers) => [numbers[0], numbers.length])).toEqual([
        [1, 500],
        [1, 500],
        [501, 1],
      ])
      expect(pending.any()).toBe(false)
    }))
})

const reportsIn = (sim: Simulation) =>
  new PendingReports(sim.storage.sql).oldest(100).map(({ report }) => report)
const held = (code: string | null) => ({
  kind: 'signal',
  signal: 'trigger_held',
  state: code === null ? 'resolved' : 'open',
  code,
  message: null,
})

describe('a held trigger', () => {
  it('is reported once, also after an eviction, and again when its runs start', () =>
    simulate({ maxRunsPerMinute: 6_000 }, async (sim) => {
      sim.behaviour.execute = () => refused(402)
      await sim.add(3)
      await sim.advance(5 * MINUTE_MS)
      expect(reportsIn(sim)).toEqual([held('payment')])
      await sim.restart()
      await sim.advance(5 * MINUTE_MS)
      expect(reportsIn(sim)).toEqual([held('payment')])
      sim.behaviour.execute = () => endedWith('paid')
      await sim.advance(5 * MINUTE_MS)
      expect(sim.statuses()).toEqual(['success', 'success', 'success'])
      expect(reportsIn(sim)).toEqual([held('payment'), held(null)])
    }))

  it('is not reported for an outage of the origin of less than five minutes', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = away
      sim.behaviour.outcomes = away
      await sim.add(1)
      await sim.advance(4 * MINUTE_MS)
      expect(reportsIn(sim)).toEqual([])
      await sim.advance(4 * MINUTE_MS)
      expect(reportsIn(sim)).toEqual([held('origin')])
    }))
})

describe('a trigger that was disabled', () => {
  it('is reported with the reason if its runs were refused', () =>
    simulate({}, async (sim) => {
      sim.behaviour.execute = () => refused(403)
      for (let n = 0; n < 10; n++) {
        await sim.add(1)
        await sim.advance(100_000)
      }
      const signals = reportsIn(sim).filter(({ kind }) => kind === 'signal')
      expect(signals).toEqual([
        {
          kind: 'signal',
          signal: 'trigger_disabled',
          state: 'open',
          code: null,
          message: sim.state.current!.disabledReason,
        },
      ])
    }))

  it('is reported if an operator suspended it, and again when it is resumed', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    const states = async () => {
      const rows = await rowsOf(owner.id, 'incidents')
      return rows.map(({ signal, resolved_at }) => [signal, resolved_at === null])
    }
    await queueOf(id).suspend()
    await vi.waitFor(async () => expect(await states()).toEqual([['trigger_disabled', true]]))
    await queueOf(id).liftSuspension()
    await vi.waitFor(async () => expect(await states()).toEqual([['trigger_disabled', false]]))
  })
})

describe('the object of a user', () => {
  it('stores a repeated batch once', async () => {
    const user = crypto.randomUUID()
    await reportsOf(user).report(batch(failed(1), failed(2)))
    await reportsOf(user).report(batch(failed(1), failed(2), failed(3)))
    expect((await rowsOf(user)).map(({ suffix }) => suffix)).toEqual([
      'suffix-1',
      'suffix-2',
      'suffix-3',
    ])
  })

  it('accepts lower numbers from a trigger that was deleted and created again', async () => {
    const user = crypto.randomUUID()
    await reportsOf(user).report(batch(failed(7)))
    await reportsOf(user).report({ ...batch(failed(1)), epoch: 2 })
    expect(await rowsOf(user)).toHaveLength(2)
    expect(await rowsOf(user, 'reporters')).toEqual([
      { trigger_id: 'trigger', epoch: 2, last_number: 1 },
    ])
  })

  it('forgets a deleted trigger', async () => {
    const owner = await someOwner()
    const { id } = await failOnce(owner)
    const other = await failOnce(owner)
    await until(owner.id, 2)
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await until(owner.id, 1)).toMatchObject([{ trigger_id: other.id }])
    expect(await rowsOf(owner.id, 'reporters')).toMatchObject([{ trigger_id: other.id }])
  })

  it('has no tables before the first report', async () => {
    const user = crypto.randomUUID()
    await reportsOf(user).forget('trigger')
    const tables = await runInDurableObject(reportsOf(user), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf_%'").toArray(),
    )
    expect(tables).toEqual([])
  })

  it('deletes runs that were queued more than 30 days ago', async () => {
    const user = crypto.randomUUID()
    const old = failed(1, { queuedAt: Date.now() - 31 * DAY_MS })
    await reportsOf(user).report(batch(old, failed(2)))
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(reportsOf(user))
      expect(await rowsOf(user)).toMatchObject([{ suffix: 'suffix-2' }])
    })
  })

  it('deletes the oldest runs above the limit', async () => {
    const user = crypto.randomUUID()
    await reportsOf(user).report(batch(failed(1), failed(2), failed(3)))
    await runInDurableObject(reportsOf(user), (_, { storage }) => {
      storage.sql.exec('UPDATE failed_runs SET id = ? WHERE id = 3', FAILED_RUNS_MAX + 1)
    })
    await reportsOf(user).report(batch(failed(4)))
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(reportsOf(user))
      const suffixes = (await rowsOf(user)).map(({ suffix }) => suffix)
      expect(suffixes).toEqual(['suffix-3', 'suffix-4'])
    })
  })

  it('is empty after it was erased', async () => {
    const user = crypto.randomUUID()
    await reportsOf(user).report(batch(failed(1)))
    await reportsOf(user).erase()
    expect(await rowsOf(user)).toEqual([])
    await reportsOf(user).report(batch(failed(2)))
    expect(await rowsOf(user)).toHaveLength(1)
  })
})
