import { expect, it, vi } from 'vitest'
import { createTrigger, edge, post, seen, someOwner, sql } from '../app.ts'

const POSTS = 2_000

it('accepts 2,000 simultaneous posts to a trigger without caps, and executes each once', async () => {
  const owner = await someOwner()
  const { id } = await createTrigger(owner)
  const bodies = Array.from({ length: POSTS }, (_, n) => `{"delivery":${n}}`)
  const answers = await Promise.all(
    bodies.map(async (body) => {
      const response = await edge(`/webhook/${id}`, { method: 'POST', body })
      const { run_id }: { run_id: string } = await response.json()
      return { status: response.status, run_id }
    }),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  const runIds = answers.map(({ run_id }) => run_id)
  expect(new Set(runIds).size).toBe(POSTS)

  await owner.api(`/api/triggers/${id}`, {
    ...post('', { max_runs_per_minute: 6_000, options: { concurrency: 64 } }).init,
    method: 'PATCH',
  })
  await vi.waitUntil(
    async () => {
      const live = `SELECT count(*) AS runs FROM runs WHERE status IN ('queued', 'running')`
      return (await sql<{ runs: number }>(id, live))[0]!.runs === 0
    },
    { timeout: 100_000, interval: 500 },
  )
  const executed = await seen(id)
  expect(executed.map(({ runId }) => runId).toSorted()).toEqual(runIds.toSorted())
  const params = executed.map(({ params: given }) => (given as { event_raw: string }).event_raw)
  expect(params.toSorted()).toEqual(bodies.toSorted())
}, 120_000)
