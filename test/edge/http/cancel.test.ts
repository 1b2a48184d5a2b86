import { describe, expect, it } from 'vitest'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  fire,
  type Owner,
  readRun,
  runOnce,
  script,
  seen,
  slow,
  someOwner,
} from '../app.ts'

const owner: Owner = await someOwner()
const cancel = (runId: string, by = owner) =>
  by.api(`/api/runs/${runId}/cancel`, { method: 'POST' })
const purge = (id: string, by = owner) => by.api(`/api/triggers/${id}/purge`, { method: 'POST' })

/** Creates a trigger that has used its only run of this minute, so its next run stays queued. */
async function paced(): Promise<TriggerRecord> {
  const trigger = await createTrigger(owner, { max_runs_per_minute: 1 })
  await runOnce(owner, await fire(trigger.id))
  return trigger
}

describe('POST /api/runs/:id/cancel', () => {
  it('cancels a queued run, which becomes failed and is never executed', async () => {
    const { id } = await paced()
    const runId = await fire(id)
    const response = await cancel(runId)
    expect(response.status).toBe(200)
    const run: RunRecord = await response.json()
    expect(run).toMatchObject({ id: runId, status: 'failed', attempt: 0, charged_cents: 0 })
    expect(run.error).toMatch(/^cancelled/)
    expect(run.finished_at).not.toBeNull()
    expect(await readRun(owner, runId)).toEqual(run)
    expect(await seen(runId)).toEqual([])
  })

  it('makes room in the queue', async () => {
    const { id } = await createTrigger(owner, { max_runs_per_minute: 1, max_queued_runs: 1 })
    await runOnce(owner, await fire(id))
    await cancel(await fire(id))
    await fire(id)
  })

  it('returns 409 for a finished or running run, and changes nothing', async () => {
    const ended = await runOnce(owner, await fire((await createTrigger(owner)).id))
    const slowly = await createTrigger(owner, { action_code: script(slow(500)) })
    const running = await fire(slowly.id)
    await runOnce(owner, running, ({ status }) => status === 'running')
    for (const runId of [ended.id, running]) {
      const response = await cancel(runId)
      expect(response.status).toBe(409)
      expect(await response.json()).toMatchObject({ error: 'run_not_queued' })
    }
    expect(await readRun(owner, ended.id)).toEqual(ended)
    expect((await runOnce(owner, running)).status).toBe('success')
  })

  it('foreign run: returns 404 as for an unknown run, and the run stays queued', async () => {
    const { id } = await paced()
    const runId = await fire(id)
    const foreign = await cancel(runId, await someOwner())
    const never = await cancel(`${id}AAAAAAAAAAAAAAAA`)
    expect([foreign.status, never.status]).toEqual([404, 404])
    expect(await foreign.text()).toBe(await never.text())
    expect((await readRun(owner, runId)).status).toBe('queued')
  })
})

describe('POST /api/triggers/:id/purge', () => {
  it('cancels all queued runs and returns their number', async () => {
    const { id } = await paced()
    const queued = [await fire(id), await fire(id), await fire(id)]
    const response = await purge(id)
    expect([response.status, await response.json()]).toEqual([200, { cancelled: 3 }])
    for (const runId of queued) expect((await readRun(owner, runId)).error).toMatch(/^cancelled/)
    const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
    expect(record.stats).toMatchObject({ queued: 0, ok: 1, failed: 3, oldest_queued_at: null })
  })

  it('returns 200 for an empty queue, and does not affect a running run', async () => {
    const { id } = await createTrigger(owner, { action_code: script(slow(500)) })
    const running = await fire(id)
    await runOnce(owner, running, ({ status }) => status === 'running')
    expect(await (await purge(id)).json()).toEqual({ cancelled: 0 })
    expect((await runOnce(owner, running)).status).toBe('success')
  })

  it('clears the queue of a disabled trigger', async () => {
    const { id } = await paced()
    await fire(id)
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'PATCH', headers, body: '{"enabled": false}' }
    await owner.api(`/api/triggers/${id}`, init)
    expect(await (await purge(id)).json()).toEqual({ cancelled: 1 })
  })

  it('foreign trigger: returns 404, and the queue stays', async () => {
    const { id } = await paced()
    const runId = await fire(id)
    expect((await purge(id, await someOwner())).status).toBe(404)
    expect((await readRun(owner, runId)).status).toBe('queued')
  })
})
