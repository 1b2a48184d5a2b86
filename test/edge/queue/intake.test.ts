import { runInDurableObject } from 'cloudflare:test'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { describe, expect, it } from 'vitest'
import { Deliveries } from '../../../edge/queue/deliveries.ts'
import { Intake } from '../../../edge/queue/intake.ts'
import { QueueSize } from '../../../edge/queue/queue-size.ts'
import { RunStore } from '../../../edge/queue/run-store.ts'
import * as schema from '../../../edge/queue/schema.ts'
import { TriggerState } from '../../../edge/queue/trigger-state.ts'
import { DELIVERY_RETENTION_MS } from '../../../shared/limits.ts'
import { createTrigger, queueOf, random, someOwner } from '../app.ts'
import { rulesOf } from './seeded.ts'
import { noSource } from './no-source.ts'

const owner = await someOwner()
const body = new Uint8Array()
const firing = '{}'

type Harness = {
  intake: Intake
  live: QueueSize
  sql: SqlStorage
  clock: { now: number }
  /** Syncs that the test completes. */
  syncs: { done(): void; fail(): void }[]
}

/** Creates an intake with the storage of a real Durable Object and syncs that the test completes. */
async function withIntake(test: (harness: Harness) => Promise<void>) {
  const { id } = await createTrigger(owner)
  await runInDurableObject(queueOf(id), async (_, { storage }) => {
    const db = drizzle(storage, { schema })
    const state = new TriggerState(storage, db)
    state.load()
    const live = new QueueSize()
    const clock = { now: 1_000_000 }
    const syncs: Harness['syncs'] = []
    const store = new RunStore(storage, db)
    const intake = new Intake({
      ...rulesOf({ state, store, sql: storage.sql }),
      state,
      store,
      deliveries: new Deliveries(storage.sql),
      gate: noSource,
      queueSize: live,
      now: () => clock.now,
      random,
      transaction: (work) => storage.transactionSync(work),
      sync: () =>
        new Promise((done, fail) => syncs.push({ done, fail: () => fail(new Error('io')) })),
      inserted: () => {},
      committed: () => {},
      immediateStarts: () => undefined,
      adopt: () => {},
      expectDue: () => {},
    })
    await test({ intake, live, sql: storage.sql, clock, syncs })
  })
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0))
const runs = (sql: SqlStorage) => sql.exec('SELECT count(*) AS n FROM runs').one().n

describe('a duplicate delivery', () => {
  it('is answered only after its original is on disk', () =>
    withIntake(async ({ intake, syncs, sql, live }) => {
      const first = intake.accept({ firing, body, delivery: 'a' })
      let answered = false
      const second = intake.accept({ firing, body, delivery: 'a' })
      void second.then(() => (answered = true))
      await turn()
      expect([answered, syncs.length]).toEqual([false, 1])
      syncs[0]!.done()
      const original = await first
      expect(await second).toEqual({ ...original, duplicate: true })
      expect([runs(sql), live.queued]).toEqual([1, 1])
    }))

  it('is rejected if its original could not be stored', () =>
    withIntake(async ({ intake, syncs, live }) => {
      const both = [1, 2].map(() => intake.accept({ firing, body, delivery: 'a' }))
      const answers = Promise.allSettled(both)
      await turn()
      syncs[0]!.fail()
      expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(live.queued).toBe(0)
    }))

  it('shares a commit with others and creates no further run', () =>
    withIntake(async ({ intake, syncs, sql }) => {
      const names = ['a', 'b', 'a', undefined, 'b', undefined]
      const accepted = names.map((delivery) =>
        intake.accept({ firing, body, ...(delivery === undefined ? {} : { delivery }) }),
      )
      const all = Promise.all(accepted)
      await turn()
      syncs[0]!.done()
      await turn()
      syncs[1]!.done()
      const ids = (await all).map((answer) => (answer.state === 'queued' ? answer.runId : ''))
      expect([ids[0] === ids[2], ids[1] === ids[4], new Set(ids).size]).toEqual([true, true, 4])
      expect([runs(sql), syncs.length]).toEqual([4, 2])
    }))

  it('is recognized for exactly 24 hours', () =>
    withIntake(async ({ intake, syncs, clock }) => {
      const accept = async () => {
        const accepted = intake.accept({ firing, body, delivery: 'a' })
        await turn()
        syncs.pop()?.done()
        return accepted
      }
      const first = await accept()
      clock.now += DELIVERY_RETENTION_MS
      expect(await accept()).toEqual({ ...first, duplicate: true })
      clock.now += 1
      expect(await accept()).not.toHaveProperty('duplicate')
    }))
})

describe('an event with a fixed run ID', () => {
  it('creates one run, whether repeated concurrently or later', () =>
    withIntake(async ({ intake, syncs, sql }) => {
      const suffix = 'AAAAAAAAAAAAAAAA'
      const both = Promise.all([1, 2].map(() => intake.accept({ firing, body, suffix })))
      await turn()
      syncs[0]!.done()
      const [first, second] = await both
      expect([first, second]).toEqual([first, { ...first, duplicate: true }])
      expect(await intake.accept({ firing, body, suffix })).toEqual(second)
      expect(runs(sql)).toBe(1)
    }))
})
