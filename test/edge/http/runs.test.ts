import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  CID,
  createTrigger,
  fire,
  type Owner,
  queueOf,
  readRun,
  runOnce,
  script,
  someOwner,
} from '../app.ts'

const owner: Owner = await someOwner()
const { id } = await createTrigger(owner)
const runIds: string[] = []
for (let i = 0; i < 5; i++) runIds.push(await fire(id, `${i}`))

type Page = { runs: RunRecord[]; next_cursor: string | null }

async function whole(query: string, of = id): Promise<Page> {
  const response = await owner.api(`/api/triggers/${of}/runs${query}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return response.json()
}

const page = async (query: string, of = id) => (await whole(query, of)).runs

describe('GET /api/triggers/:id/runs', () => {
  it('lists runs newest first, in the same form as GET /api/runs/:id', async () => {
    for (const run of runIds) await runOnce(owner, run)
    const runs = await page('')
    expect(runs.map((run) => run.id)).toEqual(runIds.toReversed())
    expect(runs[0]).toEqual(await readRun(owner, runs[0]!.id))
  })

  it.each([
    ['?limit=2', [4, 3]],
    ['?limit=2&offset=1', [3, 2]],
    ['?offset=4', [0]],
    ['?offset=5', []],
    ['?offset=999999999999999', []],
    ['?limit=0', [4]],
    ['?limit=-5', [4]],
    ['?limit=1000000', [4, 3, 2, 1, 0]],
  ])('pages with %s', async (query, expected) => {
    expect((await page(query)).map((run) => run.id)).toEqual(expected.map((i) => runIds[i]))
  })

  it.each([
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=1e2',
    'offset=-1',
    'offset=x',
    'offset=0x1',
    'cursor=',
    'cursor=5',
    'cursor=AAAAAAAAAAAAAAAAAAAA',
    'status=ended',
    'status=',
    'since=yesterday',
    'since=2026-05-22',
    'since=2026-05-22T13:05Z',
    'since=1779455100',
    'until=2026-05-22T13:05:00',
    'until=2026-02-30T00:00:00Z',
    'until=2026-05-22T25:00:00Z',
    'error=',
    'error=%00',
    'header=x-github-event',
    'header=not a name:value',
    'param=event.id',
    'param==42',
    `param=${'x'.repeat(200)}=1`,
    'offset=1&error=timeout',
    'status=success&error=timeout',
  ])('returns 422 and names the parameter: %s', async (query) => {
    const response = await owner.api(`/api/triggers/${id}/runs?${query}`)
    expect(response.status).toBe(422)
    const { message }: { message: string } = await response.json()
    expect(message).toContain(query.split('=')[0])
  })

  it('lists every run once by cursor while new ones arrive', async () => {
    const mine = await createTrigger(owner)
    const old: string[] = []
    for (let i = 0; i < 5; i++) old.push(await fire(mine.id))
    const seen: string[] = []
    let cursor = ''
    do {
      const { runs, next_cursor } = await whole(`?limit=2${cursor}`, mine.id)
      seen.push(...runs.map((run) => run.id))
      cursor = next_cursor === null ? '' : `&cursor=${next_cursor}`
      await fire(mine.id)
    } while (cursor !== '')
    expect(seen).toEqual(old.toReversed())
  })

  it('returns 422 for a cursor of another trigger', async () => {
    const { next_cursor } = await whole('?limit=1')
    const other = await createTrigger(owner)
    const response = await owner.api(`/api/triggers/${other.id}/runs?cursor=${next_cursor}`)
    expect(response.status).toBe(422)
  })

  it('returns 422 for a cursor together with an offset', async () => {
    const { next_cursor } = await whole('?limit=1')
    const query = `cursor=${next_cursor}&offset=0`
    expect((await owner.api(`/api/triggers/${id}/runs?${query}`)).status).toBe(422)
  })

  it('returns a null next_cursor on the last page', async () => {
    expect((await whole('?limit=5')).next_cursor).toBeNull()
    expect((await whole('?limit=4')).next_cursor).toEqual(expect.any(String))
    expect((await whole('?limit=2&offset=3')).next_cursor).toBeNull()
  })

  it('includes since and excludes until, in any RFC 3339 form', async () => {
    const mine = await createTrigger(owner)
    const run = await readRun(owner, await fire(mine.id))
    const at = new Date(run.queued_at)
    const later = new Date(at.getTime() + 1)
    const inBerlin = new Date(at.getTime() + 2 * 60 * 60 * 1000)
    const offset = inBerlin.toISOString().replace('Z', '%2B02:00')
    const lower = run.queued_at.toLowerCase()
    for (const query of [`?since=${offset}`, `?since=${lower}`, `?until=${later.toISOString()}`])
      expect(await page(query, mine.id)).toHaveLength(1)
    for (const query of [`?until=${offset}`, `?since=${later.toISOString()}`])
      expect(await page(query, mine.id)).toHaveLength(0)
  })

  it('filters runs by status', async () => {
    const ended = { action_cid: CID, duration_ms: 1, logs: [], charged_cents: 0 }
    const failed = { status: 'failed' as const, ...ended, code: 'action_threw' as const }
    const failing = script({ outcome: { ...failed, message: 'no', stack: 'Error: no' } })
    const mine = await createTrigger(owner, { action_code: failing, max_runs_per_minute: 1 })
    const first = await runOnce(owner, await fire(mine.id))
    const queued = await fire(mine.id)
    const ids = async (status: string) =>
      (await page(`?status=${status}`, mine.id)).map((run) => run.id)
    expect(await ids('failed')).toEqual([first.id])
    expect(await ids('queued')).toEqual([queued])
    expect(await ids('success')).toEqual([])
    expect(await ids('running')).toEqual([])
  })

  it('returns an empty page for a trigger without runs', async () => {
    expect(await page('', (await createTrigger(owner)).id)).toEqual([])
  })

  it('returns a page of runs that are together larger than one RPC value may be', async () => {
    const large = await createTrigger(owner)
    await runOnce(owner, await fire(large.id))
    await runInDurableObject(queueOf(large.id), (_, { storage: { sql } }) => {
      const result = JSON.stringify({ response: 'x'.repeat(1024 * 1024), error: null, logs: [] })
      sql.exec('INSERT INTO results SELECT sequence, ? FROM runs', result)
      sql.exec('UPDATE runs SET result = NULL')
      for (let i = 0; i < 39; i++) {
        sql.exec(
          `INSERT INTO runs (suffix, status, revision, queued_at, firing, body, body_bytes, attempt)
           SELECT ?, status, revision, queued_at, firing, body, body_bytes, attempt FROM runs LIMIT 1`,
          `copy-${i}`,
        )
        sql.exec('INSERT INTO results SELECT last_insert_rowid(), result FROM results LIMIT 1')
      }
    })
    const runs = await page('', large.id)
    expect(runs).toHaveLength(40)
    expect(runs.every((run) => (run.response as string).length === 1024 * 1024)).toBe(true)
  })
})

describe('GET /api/runs/:id', () => {
  it('returns one run with its full input', async () => {
    const body = 'x'.repeat(100_000)
    const run = await runOnce(owner, await fire(id, body))
    expect(run.input).toMatchObject({ event: body, event_raw: body })
    expect(run.trigger_id).toBe(id)
  })

  it('returns 404 for an unknown run of the caller’s trigger', async () => {
    const never = `${id}AAAAAAAAAAAAAAAA`
    expect((await owner.api(`/api/runs/${never}`)).status).toBe(404)
  })

  it('returns 404 if the suffix belongs to a run of another trigger', async () => {
    const other = await createTrigger(owner)
    const crossed = other.id + runIds[0]!.slice(32)
    expect((await owner.api(`/api/runs/${crossed}`)).status).toBe(404)
  })
})
