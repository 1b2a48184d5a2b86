import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { createTrigger, fire, type Owner, queueOf, readRun, runOnce, someOwner } from '../app.ts'

const owner: Owner = await someOwner()
const { id } = await createTrigger(owner)
const runIds: string[] = []
for (let i = 0; i < 5; i++) runIds.push(await fire(id, `${i}`))

async function page(query: string, of = id): Promise<RunRecord[]> {
  const response = await owner.api(`/api/triggers/${of}/runs${query}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  const body: { runs: RunRecord[] } = await response.json()
  return body.runs
}

describe('GET /api/triggers/:id/runs', () => {
  it('answers the runs, newest first, each as GET /api/runs/:id gives it', async () => {
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
  ])('%s', async (query, expected) => {
    expect((await page(query)).map((run) => run.id)).toEqual(expected.map((i) => runIds[i]))
  })

  it.each(['limit=x', 'limit=1.5', 'limit=', 'limit=1e2', 'offset=-1', 'offset=x', 'offset=0x1'])(
    'answers 422 and names the parameter: %s',
    async (query) => {
      const response = await owner.api(`/api/triggers/${id}/runs?${query}`)
      expect(response.status).toBe(422)
      const { message }: { message: string } = await response.json()
      expect(message).toContain(query.split('=')[0])
    },
  )

  it('is an empty page for a trigger that never ran', async () => {
    expect(await page('', (await createTrigger(owner)).id)).toEqual([])
  })

  it('answers a page whose runs are larger together than one RPC value may be', async () => {
    const large = await createTrigger(owner)
    await runOnce(owner, await fire(large.id))
    await runInDurableObject(queueOf(large.id), (_, { storage: { sql } }) => {
      const result = JSON.stringify({ response: 'x'.repeat(1024 * 1024), error: null, logs: [] })
      sql.exec('UPDATE results SET result = ?', result)
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
  it('answers one run with its whole input', async () => {
    const body = 'x'.repeat(100_000)
    const run = await runOnce(owner, await fire(id, body))
    expect(run.input).toMatchObject({ event: body, event_raw: body })
    expect(run.trigger_id).toBe(id)
  })

  it('answers 404 for a run of one’s own trigger that never was', async () => {
    const never = `${id}AAAAAAAAAAAAAAAA`
    expect((await owner.api(`/api/runs/${never}`)).status).toBe(404)
  })

  it('a run’s suffix does not open the run of another trigger', async () => {
    const other = await createTrigger(owner)
    const crossed = other.id + runIds[0]!.slice(32)
    expect((await owner.api(`/api/runs/${crossed}`)).status).toBe(404)
  })
})
