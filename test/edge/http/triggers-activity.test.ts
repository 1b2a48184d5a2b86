import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { toListedActivity, withActivity } from '../../../edge/triggers/listed-activity.ts'
import { HOUR_MS } from '../../../shared/durations.ts'
import type { ListedTrigger } from '../../../shared/wire/trigger.ts'
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
import { throwing } from '../replays/harness.ts'

const failing = throwing('Error: No price.')

const list = async (owner: Owner): Promise<ListedTrigger[]> =>
  (await owner.api('/api/triggers')).json()

/** Restarts the trigger’s object, which then reports without delay, and waits for the report. */
async function activityOf(owner: Owner, id: string, runId: string) {
  await kill(id)
  return vi.waitFor(
    async () => {
      await runDurableObjectAlarm(queueOf(id))
      const found = (await list(owner)).find((trigger) => trigger.id === id)?.activity
      expect(found?.last_run?.id).toBe(runId)
      return found!
    },
    { timeout: 10_000, interval: 50 },
  )
}

describe('GET /api/triggers', () => {
  it('has the last run, success rate and durations of each trigger', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    expect((await list(owner))[0]).not.toHaveProperty('activity')
    await runOnce(owner, await fire(id))
    const runId = await fire(id)
    await runOnce(owner, runId)
    const activity = await activityOf(owner, id, runId)
    expect(activity).toMatchObject({
      last_run: { id: runId, status: 'success', test: false },
      failing: false,
      ok: 2,
      failed: 0,
      success_rate: 1,
      p95_ms: expect.any(Number),
    })
    expect(activity.ok_by_hour).toHaveLength(24)
    expect(activity.ok_by_hour.reduce((sum, count) => sum + count)).toBe(2)
  })

  it('says that a trigger is failing after two failures of two runs', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    await runOnce(owner, await fire(id))
    const runId = await fire(id)
    await runOnce(owner, runId)
    const activity = await activityOf(owner, id, runId)
    expect(activity).toMatchObject({ failing: true, ok: 0, failed: 2, success_rate: 0 })
  })

  it('shows a test as the last run, and leaves it out of the rates', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    const { path, init } = post(`/api/triggers/${id}/test`, { event: {} })
    const { run_id } = await (await owner.api(path, init)).json<{ run_id: string }>()
    await runOnce(owner, run_id)
    const activity = await activityOf(owner, id, run_id)
    expect(activity).toMatchObject({
      last_run: { status: 'failed', test: true },
      failing: false,
      failed: 0,
      success_rate: null,
      p95_ms: null,
    })
  })

  it('reports a run with the alarm that follows it', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    const runId = await fire(id)
    await vi.waitFor(
      async () => expect((await list(owner))[0]?.activity?.last_run?.id).toBe(runId),
      { timeout: 10_000, interval: 100 },
    )
  })

  it('no figures of other users: forged IDs in the object of the user add nothing', async () => {
    const [owner, other] = [await someOwner(), await someOwner()]
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    const runId = await fire(id)
    await runOnce(owner, runId)
    await activityOf(owner, id, runId)
    expect(await env.USER_REPORTS.getByName(other.id).triggerActivity([id])).toEqual({})
    expect(await list(other)).toEqual([])
  })

  it('forgets the figures and the index of a deleted trigger', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    const runId = await fire(id)
    await runOnce(owner, runId)
    await activityOf(owner, id, runId)
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(queueOf(id))
      const rows = await runInDurableObject(
        env.USER_REPORTS.getByName(owner.id),
        (_, { storage }) =>
          ['trigger_activity', 'run_index'].flatMap((table) =>
            storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
          ),
      )
      expect(rows).toEqual([])
    })
  })

  it('lists triggers without figures if the object of the user does not respond', async () => {
    const owner = await someOwner()
    await createTrigger(owner)
    const triggers = await list(owner)
    const broken = {
      ...env,
      USER_REPORTS: {
        getByName: () => ({ triggerActivity: () => Promise.reject(new Error('overloaded')) }),
      },
    } as unknown as typeof env
    const shown = await withActivity(broken, owner.id, triggers, Date.now())
    expect(shown).toEqual({ triggers, isComplete: false })
  })
})

describe('figures of a trigger that has not run since', () => {
  const now = 1_000 * HOUR_MS + 5
  const activity = {
    at: now,
    lastRun: null,
    isFailing: true,
    hours: [
      { hour: 977, ok: 5, failed: 0 },
      { hour: 1_000, ok: 1, failed: 1 },
    ],
    p50Ms: 10,
    p95Ms: 20,
  }

  it('leave out hours that have passed', () => {
    const shown = toListedActivity('id', activity, now)
    expect(shown).toMatchObject({ ok: 6, failed: 1, p95_ms: 20 })
    expect(toListedActivity('id', activity, now + HOUR_MS)).toMatchObject({
      ok: 1,
      failed: 1,
      success_rate: 0.5,
    })
    const later = toListedActivity('id', activity, now + 24 * HOUR_MS)
    expect(later).toMatchObject({ ok: 0, failed: 0, success_rate: null, p95_ms: null })
    expect(later.failing).toBe(true)
  })

  it('have the current hour last', () => {
    const { ok_by_hour, failed_by_hour } = toListedActivity('id', activity, now)
    expect([ok_by_hour[0], ok_by_hour[23], failed_by_hour[23]]).toEqual([5, 1, 1])
  })
})
