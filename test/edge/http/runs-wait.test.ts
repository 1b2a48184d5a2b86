import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  fire,
  kill,
  type Owner,
  post,
  runOnce,
  script,
  slow,
  someOwner,
} from '../app.ts'

const owner: Owner = await someOwner()
const slowTrigger = (ms: number) => createTrigger(owner, { action_code: script(slow(ms)) })

async function waited(runId: string, seconds: number): Promise<RunRecord & { took: number }> {
  const began = Date.now()
  const response = await owner.api(`/api/runs/${runId}?wait=${seconds}`)
  expect(response.status).toBe(200)
  return { ...(await response.json<RunRecord>()), took: Date.now() - began }
}

describe('GET /api/runs/:id?wait=', () => {
  it('responds when the run finishes', async () => {
    const run = await waited(await fire((await slowTrigger(400)).id), 20)
    expect(run).toMatchObject({ status: 'success', response: 'slow' })
    expect(run.took).toBeLessThan(5_000)
  })

  it('responds immediately if the run has finished', async () => {
    const { id } = await runOnce(owner, await fire((await createTrigger(owner)).id))
    expect((await waited(id, 30)).took).toBeLessThan(2_000)
  })

  it('returns the unfinished run when the wait times out', async () => {
    const run = await waited(await fire((await slowTrigger(10_000)).id), 1)
    expect(run).toMatchObject({ status: 'running', finished_at: null, response: null })
    expect(run.took).toBeGreaterThanOrEqual(950)
    expect(run.took).toBeLessThan(4_000)
  })

  it('responds immediately without a wait, or with a wait of 0', async () => {
    const id = await fire((await slowTrigger(10_000)).id)
    expect((await waited(id, 0)).finished_at).toBeNull()
    expect((await owner.api(`/api/runs/${id}`)).status).toBe(200)
  })

  it('responds to everyone who waits for the same run', async () => {
    const id = await fire((await slowTrigger(1_000)).id)
    const runs = await Promise.all(Array.from({ length: 60 }, () => waited(id, 20)))
    expect(runs.every((run) => run.status === 'success' && run.took < 10_000)).toBe(true)
  })

  it('responds although the object restarts during the wait', async () => {
    const trigger = await slowTrigger(1_500)
    const pending = waited(await fire(trigger.id), 25)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await kill(trigger.id)
    expect(await pending).toMatchObject({ status: 'success', response: 'slow' })
  })

  it('returns 404 as soon as the trigger is deleted', async () => {
    const trigger = await slowTrigger(15_000)
    const id = await fire(trigger.id)
    const began = Date.now()
    const pending = owner.api(`/api/runs/${id}?wait=20`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await owner.api(`/api/triggers/${trigger.id}`, { method: 'DELETE' })
    expect((await pending).status).toBe(404)
    expect(Date.now() - began).toBeLessThan(8_000)
  })

  it('responds when the run is cancelled', async () => {
    const trigger = await createTrigger(owner, { max_runs_per_minute: 1 })
    await runOnce(owner, await fire(trigger.id))
    const id = await fire(trigger.id)
    const pending = waited(id, 20)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { path, init } = post(`/api/runs/${id}/cancel`, {})
    await owner.api(path, init)
    expect(await pending).toMatchObject({ status: 'failed' })
  })

  it.each(['31', '-1', 'x', '1.5', '', '1e1'])(
    'returns 422 and names the parameter: wait=%s',
    async (wait) => {
      const id = await fire((await createTrigger(owner)).id)
      const response = await owner.api(`/api/runs/${id}?wait=${wait}`)
      expect(response.status).toBe(422)
      const { message }: { message: string } = await response.json()
      expect(message).toContain('wait')
    },
  )

  it('connection exhaustion: returns 404 for a foreign run immediately', async () => {
    const id = await fire((await slowTrigger(15_000)).id)
    const other = await someOwner()
    const began = Date.now()
    const response = await other.api(`/api/runs/${id}?wait=30`)
    expect(response.status).toBe(404)
    expect(Date.now() - began).toBeLessThan(2_000)
  })
})
