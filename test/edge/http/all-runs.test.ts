import { runDurableObjectAlarm } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { listAllRuns } from '../../../edge/reports/list-all-runs.ts'
import { encodeJsonCursor } from '../../../edge/http/json-cursor.ts'
import { ALL_RUNS_TRIGGERS_MAX } from '../../../shared/limits.ts'
import type { ListedRun } from '../../../shared/wire/all-runs.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
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
  someOwner,
  success,
} from '../app.ts'
import { inObject, seed } from '../queue/seeded.ts'
import { throwing } from '../replays/harness.ts'

type Page = { runs: ListedRun[]; next_cursor: string | null }

async function page(owner: Owner, query = ''): Promise<Page> {
  const response = await owner.api(`/api/runs${query}`)
  expect(response.status).toBe(200)
  return response.json()
}

async function allPages(owner: Owner, query: string): Promise<ListedRun[]> {
  const all: ListedRun[] = []
  for (let cursor = ''; ;) {
    const { runs, next_cursor } = await page(owner, `?${query}${cursor}`)
    all.push(...runs)
    if (next_cursor === null) return all
    cursor = `&cursor=${next_cursor}`
  }
}

const idsOf = (runs: readonly { id: string }[]) => runs.map(({ id }) => id)

/** Restarts the objects, which then report without delay, and waits until all their runs are listed. */
async function untilListed(owner: Owner, triggers: readonly string[], count: number) {
  for (const id of triggers) await kill(id)
  return vi.waitFor(
    async () => {
      for (const id of triggers) await runDurableObjectAlarm(queueOf(id))
      const runs = await allPages(owner, 'limit=100')
      expect(runs).toHaveLength(count)
      return runs
    },
    { timeout: 15_000, interval: 100 },
  )
}

describe('GET /api/runs', () => {
  let owner: Owner
  let orders: string
  let prices: string
  let all: ListedRun[]
  beforeAll(async () => {
    owner = await someOwner()
    orders = (await createTrigger(owner, { name: 'orders', action_code: script(success('hi')) })).id
    prices = (
      await createTrigger(owner, { name: 'prices', action_code: throwing('Error: No price.') })
    ).id
    for (let n = 0; n < 3; n++)
      for (const id of [orders, prices])
        await runOnce(
          owner,
          await fire(id, JSON.stringify({ customer: { id: n } }), {
            headers: { 'content-type': 'application/json', 'x-github-event': `event-${n}` },
          }),
        )
    const { path, init } = post(`/api/triggers/${orders}/test`, { event: {} })
    const { run_id } = await (await owner.api(path, init)).json<{ run_id: string }>()
    await runOnce(owner, run_id)
    const replayed = await owner.api(`/api/runs/${run_id}/replay`, { method: 'POST' })
    await runOnce(owner, (await replayed.json<{ run_id: string }>()).run_id)
    all = await untilListed(owner, [orders, prices], 8)
  })

  it('lists the runs of all triggers, newest first', async () => {
    const records: RunRecord[] = []
    for (const id of [orders, prices])
      records.push(
        ...(await (await owner.api(`/api/triggers/${id}/runs`)).json<{ runs: RunRecord[] }>()).runs,
      )
    const expected = records.toSorted((a, b) => b.queued_at.localeCompare(a.queued_at))
    expect(all.map(({ queued_at }) => queued_at)).toEqual(
      expected.map(({ queued_at }) => queued_at),
    )
    expect(new Set(idsOf(all))).toEqual(new Set(idsOf(records)))
    expect(all[2]).toEqual({
      id: expect.stringContaining(prices),
      trigger_id: prices,
      trigger_name: 'prices',
      status: 'failed',
      source: 'webhook',
      summary: expect.stringContaining('Error: No price.'),
      test: false,
      replay: false,
      reorged: false,
      attempt: 1,
      waiting_for: null,
      queued_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
    })
  })

  it('marks test runs and replays', () =>
    expect(all.slice(0, 3).map(({ test, replay }) => [test, replay])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]))

  it.each([1, 2, 7, 8])('returns pages of %i without gaps or repetitions', async (limit) =>
    expect(idsOf(await allPages(owner, `limit=${limit}`))).toEqual(idsOf(all)),
  )

  it.each([
    ['status=success', ({ status }: ListedRun) => status === 'success'],
    ['status=queued', () => false],
    ['error=no%20price', ({ trigger_id }: ListedRun) => trigger_id === prices],
    ['error=no%20such%20text', () => false],
    ['param=event.customer.id=1', (_: ListedRun, at: number) => at === 4 || at === 5],
    ['header=x-github-event:event-0', (_: ListedRun, at: number) => at >= 6],
    ['status=failed&header=x-github-event:event-0', (_: ListedRun, at: number) => at === 6],
  ])('filters by %s, whatever the size of a page', async (query, matches) => {
    const expected = idsOf(all.filter(matches))
    for (const limit of [1, 3, 100])
      expect(idsOf(await allPages(owner, `${query}&limit=${limit}`))).toEqual(expected)
  })

  it('filters by trigger and time', async () => {
    const ofOne = all.filter(({ trigger_id }) => trigger_id === prices)
    expect(idsOf(await allPages(owner, `trigger_id=${prices}`))).toEqual(idsOf(ofOne))
    const { queued_at } = all[4]!
    const newer = all.filter((run) => run.queued_at >= queued_at)
    expect(idsOf(await allPages(owner, `since=${queued_at}`))).toEqual(idsOf(newer))
    expect(idsOf(await allPages(owner, `until=${queued_at}`))).toEqual(
      idsOf(all.slice(newer.length)),
    )
  })

  it('shows the current state of a run that was reported while it was queued', async () => {
    const mine = await someOwner()
    const { id } = await createTrigger(mine, { max_runs_per_minute: 1 })
    await runOnce(mine, await fire(id))
    const queued = await fire(id)
    expect((await untilListed(mine, [id], 2))[0]).toMatchObject({ id: queued, status: 'queued' })
    await mine.api(`/api/runs/${queued}/cancel`, { method: 'POST' })
    expect((await page(mine)).runs[0]).toMatchObject({ id: queued, status: 'failed' })
  })

  it('no runs of other users: with the ID of a foreign trigger, and with a cursor that names it', async () => {
    const other = await someOwner()
    expect(await page(other)).toEqual({ runs: [], next_cursor: null })
    expect(await page(other, `?trigger_id=${orders}`)).toEqual({ runs: [], next_cursor: null })
    const cursor = encodeJsonCursor([Date.now() + 60_000, orders, 1_000])
    expect(await page(other, `?cursor=${cursor}`)).toEqual({ runs: [], next_cursor: null })
    expect(await queueOf(orders).runRange(other.id, { limit: 10 })).toBeUndefined()
  })

  it('returns 422 for a cursor that it did not issue, and for success with an error', async () => {
    for (const query of ['cursor=abc', `cursor=${encodeJsonCursor([1, 2])}`, 'cursor=%00']) {
      const response = await owner.api(`/api/runs?${query}`)
      expect([response.status, await response.text()]).toEqual([
        422,
        expect.stringContaining('cursor'),
      ])
    }
    expect((await owner.api('/api/runs?error=x&status=success')).status).toBe(422)
  })

  it('lists no runs of a deleted trigger', async () => {
    const mine = await someOwner()
    const { id } = await createTrigger(mine)
    await runOnce(mine, await fire(id))
    await untilListed(mine, [id], 1)
    await mine.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect(await page(mine)).toEqual({ runs: [], next_cursor: null })
  })
})

describe('the work of a page', () => {
  it('is bounded in calls of objects, and the pages are complete', async () => {
    const owner = await someOwner()
    const ids: string[] = []
    for (let n = 0; n < ALL_RUNS_TRIGGERS_MAX + 10; n++) ids.push((await createTrigger(owner)).id)
    await Promise.all(ids.map((id) => fire(id)))
    const all = await untilListed(owner, ids, ids.length)
    const called = new Set<string>()
    const counting = {
      USER_REPORTS: env.USER_REPORTS,
      TRIGGER_QUEUE: {
        getByName: (id: string) => {
          called.add(id)
          return env.TRIGGER_QUEUE.getByName(id)
        },
      },
    } as unknown as Pick<typeof env, 'USER_REPORTS' | 'TRIGGER_QUEUE'>
    const first = await listAllRuns(counting, owner.id, { search: {} }, { limit: 100 })
    expect(called.size).toBe(ALL_RUNS_TRIGGERS_MAX)
    expect(first.runs).toHaveLength(ALL_RUNS_TRIGGERS_MAX)
    const second = await listAllRuns(
      counting,
      owner.id,
      { search: {} },
      { limit: 100, after: first.next },
    )
    const both = [...first.runs, ...second.runs].map(({ triggerId, suffix }) => triggerId + suffix)
    expect(both).toEqual(idsOf(all))
    expect(second.next).toBeUndefined()
    called.clear()
    await listAllRuns(counting, owner.id, { search: {} }, { limit: 5 })
    expect(called.size).toBe(5)
  })

  it('is bounded in runs that a search reads, and the pages are complete', async () => {
    const owner = await someOwner()
    const ids = [(await createTrigger(owner)).id, (await createTrigger(owner)).id]
    const at = Date.now() - 3_600_000
    for (const id of ids)
      await inObject(id, ({ sql }) => seed(sql, { count: 700, queuedAt: at, everyMs: 1_000 }))
    const all = await untilListed(owner, ids, 1_400)
    const never = await page(owner, '?param=request.method=PATCH')
    expect(never.runs).toEqual([])
    expect(never.next_cursor).not.toBeNull()
    expect(await allPages(owner, 'param=request.method=PATCH')).toEqual([])
    const failed = await page(owner, '?status=failed')
    expect(failed).toEqual({ runs: [], next_cursor: null })
    expect(idsOf(await allPages(owner, 'status=success&limit=99'))).toEqual(idsOf(all))
  })
})
