import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IndexOutbox } from '../../../edge/queue/index-outbox.ts'
import type { TriggerRow } from '../../../edge/queue/records.ts'
import type { TriggerQueue } from '../../../edge/queue/trigger-queue.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  env,
  fire,
  kill,
  type Owner,
  post,
  queueOf,
  someOwner,
  sql,
} from '../app.ts'

const owner: Owner = await someOwner()
afterEach(() => vi.restoreAllMocks())

type Row = { record: string; version: number }
const indexed = (id: string) =>
  env.DB.prepare('SELECT record, version FROM triggers WHERE id = ?').bind(id).first<Row>()
const inList = async (id: string): Promise<TriggerRecord | undefined> => {
  const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
  return list.find((listed) => listed.id === id)
}
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const remove = (id: string) => owner.api(`/api/triggers/${id}`, { method: 'DELETE' })

/** While `work` runs, D1 rejects all writes to this table, as during an outage. */
async function withoutIndex<Result>(work: () => Promise<Result>): Promise<Result> {
  const refusal = "WHEN coalesce(NEW.id, '') <> '' BEGIN SELECT RAISE(ABORT, 'away'); END"
  const gone = "BEGIN SELECT RAISE(ABORT, 'away'); END"
  await env.DB.batch([
    env.DB.prepare(`CREATE TRIGGER no_insert BEFORE INSERT ON triggers ${refusal}`),
    env.DB.prepare(`CREATE TRIGGER no_update BEFORE UPDATE ON triggers ${refusal}`),
    env.DB.prepare(`CREATE TRIGGER no_delete BEFORE DELETE ON triggers ${gone}`),
  ])
  try {
    return await work()
  } finally {
    const names = ['no_insert', 'no_update', 'no_delete']
    await env.DB.batch(names.map((name) => env.DB.prepare(`DROP TRIGGER ${name}`)))
  }
}

/** Rings the object's alarm repeatedly until the index is up to date. */
async function alarmUntil(id: string, told: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(
    async () => {
      await runDurableObjectAlarm(queueOf(id))
      expect(await told()).toBe(true)
    },
    { timeout: 10_000, interval: 50 },
  )
}
/** The backoff after a failure is kept in memory only. */
const restart = kill

describe('an index that cannot be written', () => {
  it('creation: the trigger exists and fires, and is listed after the index recovers', async () => {
    const { id } = await withoutIndex(async () => {
      const trigger = await createTrigger(owner, { name: 'lost' })
      await fire(trigger.id)
      expect((await owner.api(`/api/triggers/${trigger.id}`)).status).toBe(200)
      expect(await indexed(trigger.id)).toBeNull()
      await restart(trigger.id)
      return trigger
    })
    await alarmUntil(id, async () => (await inList(id)) !== undefined)
    expect(await inList(id)).toMatchObject({ name: 'lost', enabled: true })
  })

  it.each([
    [true, false],
    [false, true],
  ])(
    'PATCH from enabled %s to %s: returns 200 at once, and the list is updated later',
    async (from, to) => {
      const { id } = await createTrigger(owner, { enabled: from })
      await withoutIndex(async () => {
        const response = await patch(id, { enabled: to })
        expect(response.status).toBe(200)
        expect(await response.json()).toMatchObject({ enabled: to })
        expect(await inList(id)).toMatchObject({ enabled: from })
        await restart(id)
      })
      await alarmUntil(id, async () => (await inList(id))?.enabled === to)
    },
  )

  it('DELETE: deletes at once, updates the list later, and leaves nothing on disk', async () => {
    const { id } = await createTrigger(owner)
    await fire(id)
    await withoutIndex(async () => {
      expect((await remove(id)).status).toBe(204)
      expect((await owner.api(`/api/triggers/${id}`)).status).toBe(404)
      expect((await remove(id)).status).toBe(404)
      expect(await sql(id, 'SELECT * FROM usage_keys')).toEqual([])
      await restart(id)
    })
    await alarmUntil(id, async () => (await indexed(id)) === null)
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"
    await vi.waitFor(async () => expect(await sql(id, tables)).toEqual([]))
    expect((await owner.api(`/api/triggers/${id}`)).status).toBe(404)
  })

  it('log leak: logs the cause of the failure, and no values', async () => {
    const { id } = await createTrigger(owner)
    const log = vi.spyOn(console, 'warn')
    await withoutIndex(() => patch(id, { name: 'canary', default_params: { canary: 1 } }))
    const lines = log.mock.calls.map(([text]) => String(text))
    const [line] = lines.filter((text) => text.includes('index.failed') && text.includes(id))
    expect(line).toContain('away')
    expect(lines.join()).not.toContain('canary')
  })
})

describe('an index that does not respond', () => {
  /** Makes writes of this object's row hang. */
  const hang = (id: string) =>
    runInDurableObject(queueOf(id), (instance: TriggerQueue) => {
      const { DB } = Reflect.get(instance, 'env') as typeof env
      const prepare = DB.prepare.bind(DB)
      return vi.spyOn(DB, 'prepare').mockImplementation((query) => {
        const statement = prepare(query)
        if (!/^(insert|update|delete)/i.test(query)) return statement
        return { bind: () => ({ run: () => new Promise(() => {}) }) } as never
      })
    })

  it('delays no reader or sender, and a PATCH by at most two seconds', async () => {
    const { id } = await createTrigger(owner)
    await hang(id)
    const began = performance.now()
    const patched = patch(id, { name: 'new' })
    await vi.waitFor(async () =>
      expect((await sql(id, 'SELECT name FROM trigger'))[0]).toEqual({ name: 'new' }),
    )
    await fire(id)
    const read = await owner.api(`/api/triggers/${id}`)
    expect(await read.json()).toMatchObject({ name: 'new' })
    expect(performance.now() - began).toBeLessThan(1_500)
    const answer = await patched
    expect([answer.status, await answer.json()]).toMatchObject([200, { name: 'new' }])
    vi.restoreAllMocks()
    await restart(id)
    await alarmUntil(id, async () => (await inList(id))?.name === 'new')
  })
})

it('concurrent PATCHes: the row matches the final state of the object', async () => {
  const { id } = await createTrigger(owner)
  const names = Array.from({ length: 40 }, (_, n) => `name ${n}`)
  await Promise.all(names.map((name) => patch(id, { name })))
  const answer = await owner.api(`/api/triggers/${id}`)
  const { name } = await answer.json<TriggerRecord>()
  await vi.waitFor(async () => expect(await inList(id)).toMatchObject({ name }))
  expect((await indexed(id))!.version).toBe(41)
})

it('an older version that arrives late does not replace a newer one', async () => {
  const { id } = await createTrigger(owner)
  await patch(id, { name: 'newer' })
  const { record } = (await indexed(id))!
  await env.DB.prepare('UPDATE triggers SET version = 9 WHERE id = ?').bind(id).run()
  await patch(id, { name: 'version 3' })
  expect(await indexed(id)).toEqual({ record, version: 9 })
})

/** An in-memory index and object. Writes succeed, fail, hang or arrive late, as the test decides. */
class Simulation {
  readonly row = { triggerId: 't', ownerId: 'o', removedAt: null, indexStale: false, version: 1 }
  index: number | undefined
  forgotten = false
  readonly late: (() => void)[] = []
  fate: 'arrives' | 'fails' | 'hangs' = 'arrives'
  readonly work: Promise<void>[] = []
  readonly indexRow = new IndexOutbox({
    state: {
      row: this.row as unknown as TriggerRow,
      markIndexed: (version) => {
        if (version === this.row.version) this.row.indexStale = false
      },
    },
    now: () => 0,
    // Sleeps end immediately, so a hanging write has always timed out.
    sleep: () => new Promise((resolve) => setTimeout(resolve)),
    record: () => ({}) as TriggerRecord,
    put: (_, __, version) =>
      this.#write(() => {
        if (this.index === undefined || this.index <= version) this.index = version
      }),
    drop: () =>
      this.#write(() => {
        this.index = undefined
      }),
    dropped: async () => {
      this.forgotten = true
      this.row.indexStale = false
    },
    log: () => {},
  })

  change(removed: boolean): void {
    if (this.row.removedAt !== null) return
    Object.assign(this.row, { version: this.row.version + 1, indexStale: true })
    if (removed) Object.assign(this.row, { removedAt: 1 })
    this.work.push(this.indexRow.flush())
  }

  tend(): void {
    // Later than any backoff.
    this.indexRow.runDue(Number.MAX_SAFE_INTEGER, (work) => this.work.push(work))
  }

  async #write(effect: () => void): Promise<void> {
    const { fate } = this
    if (fate === 'hangs') {
      return new Promise((answer) => {
        this.late.push(() => {
          effect()
          answer()
        })
      })
    }
    await Promise.resolve()
    if (fate === 'fails') throw new Error('away')
    effect()
  }
}

it('the row matches the final state of the object, whatever writes fail, hang or arrive late', async () => {
  const step = fc.oneof(
    fc.constantFrom('change', 'change', 'tend', 'late', 'pause', 'remove'),
    fc.constantFrom('arrives', 'fails', 'hangs').map((fate) => ({ fate })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const simulation = new Simulation()
      for (const each of steps) {
        if (typeof each === 'object') simulation.fate = each.fate
        else if (each === 'change') simulation.change(false)
        else if (each === 'remove') simulation.change(true)
        else if (each === 'tend') simulation.tend()
        else if (each === 'late') simulation.late.shift()?.()
        else await new Promise((resolve) => setTimeout(resolve))
      }
      simulation.fate = 'arrives'
      for (const arrive of simulation.late.splice(0)) arrive()
      // Ring the alarm several times: a write that timed out may fail once more before its result is known.
      for (let alarm = 0; alarm < 5; alarm++) {
        simulation.tend()
        await new Promise((resolve) => setTimeout(resolve, 1))
        for (const arrive of simulation.late.splice(0)) arrive()
      }
      await Promise.all(simulation.work)
      const { row, index, forgotten } = simulation
      expect(row.indexStale).toBe(false)
      expect(forgotten).toBe(row.removedAt !== null)
      if (row.version > 1) expect(index).toBe(forgotten ? undefined : row.version)
    }),
    { numRuns: 100 },
  )
})
