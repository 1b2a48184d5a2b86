import { describe, expect, it, vi } from 'vitest'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  fire,
  kill,
  type Owner,
  post,
  readRun,
  runOnce,
  script,
  seen,
  slow,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()
const patch = (id: string, body: unknown, from: Owner = owner) =>
  from.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const read = async (id: string): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`)).json()
const changed = async (id: string, body: object): Promise<TriggerRecord> => {
  const response = await patch(id, body)
  expect(response.status).toBe(200)
  return response.json()
}
const send = (id: string) => edge(`/webhook/${id}`, { method: 'POST', body: '{}' })

describe('PATCH /api/triggers/:id', () => {
  it('changes the given fields, keeps the rest, and returns the record', async () => {
    const before = await createTrigger(owner, {
      default_params: { a: 1 },
      options: { concurrency: 3, dedup: true },
    })
    const fields = {
      name: 'renamed',
      max_runs_per_minute: 7,
      max_queued_runs: 9,
      default_params: { b: 2 },
      options: { on_lost: 'retry' },
    }
    const after = await changed(before.id, fields)
    expect(after).toEqual({ ...before, ...fields, updated_at: expect.stringMatching(/Z$/) })
    expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at))
    expect(await read(before.id)).toEqual(after)
    await kill(before.id)
    expect(await read(before.id)).toEqual(after)
  })

  it('changes nothing for an empty object, not even updated_at', async () => {
    const before = await createTrigger(owner)
    expect(await changed(before.id, {})).toEqual(before)
  })

  it('gives a new source its own CID; runs queued before keep the old one', async () => {
    const { id, action_cid } = await createTrigger(owner, {
      enabled: true,
      max_runs_per_minute: 1,
      action_code: script(success('old')),
    })
    await runOnce(owner, await fire(id))
    const queued = await fire(id)
    const after = await changed(id, {
      action_code: script(success('new')),
      max_runs_per_minute: 6_000,
    })
    expect(after.action_cid).not.toBe(action_cid)
    const [before, later] = [queued, await fire(id)].map((run) => runOnce(owner, run))
    expect(await before).toMatchObject({ response: 'old', action_cid })
    expect(await later).toMatchObject({ response: 'new', action_cid: after.action_cid })
  })

  it('applies new default_params to runs that are queued from then on', async () => {
    const { id } = await createTrigger(owner, { default_params: { a: 1, b: 1 } })
    await changed(id, { default_params: { a: 2 } })
    const run = await runOnce(owner, await fire(id))
    expect(run.input).toMatchObject({ a: 2 })
    expect(run.input).not.toHaveProperty('b')
  })

  it('replaces options as a whole', async () => {
    const { id } = await createTrigger(owner, { options: { concurrency: 3, on_lost: 'retry' } })
    expect((await changed(id, { options: { dedup: true } })).options).toEqual({ dedup: true })
    expect(await sql(id, 'SELECT concurrency FROM trigger')).toEqual([{ concurrency: 8 }])
  })

  it('uses a new usage key for the next run, and never returns it', async () => {
    const { id } = await createTrigger(owner, { usage_api_key: 'usage-old' })
    const response = await patch(id, { usage_api_key: 'usage-canary' })
    expect(await response.text()).not.toContain('canary')
    const run = await runOnce(owner, await fire(id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-canary' }])
    const [stored] = await sql<{ sealed: ArrayBuffer }>(
      id,
      'SELECT sealed FROM usage_keys ORDER BY id DESC LIMIT 1',
    )
    expect(new TextDecoder('latin1').decode(stored!.sealed)).not.toContain('canary')
  })

  it('resets the count of refusals with a new key', async () => {
    const { id } = await createTrigger(owner)
    await sql(id, 'UPDATE trigger SET refusals = 9, refusals_since = 1')
    await kill(id)
    await changed(id, { name: 'still refused' })
    expect(await sql(id, 'SELECT refusals FROM trigger')).toEqual([{ refusals: 9 }])
    await changed(id, { usage_api_key: 'usage-new' })
    expect(await sql(id, 'SELECT refusals, refusals_since FROM trigger')).toEqual([
      { refusals: 0, refusals_since: null },
    ])
  })
})

describe('enabled', () => {
  it('false stops accepting and starting runs; true resumes queued runs', async () => {
    const { id } = await createTrigger(owner, { action_code: script(slow(300), success('late')) })
    await changed(id, { options: { concurrency: 1 } })
    const first = await fire(id)
    const waiting = await fire(id)
    expect(await changed(id, { enabled: false })).toMatchObject({
      enabled: false,
      disabled_reason: null,
    })
    const refused = await send(id)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
    expect(await refused.json()).toMatchObject({ error: 'trigger_disabled' })
    expect(await runOnce(owner, first)).toMatchObject({ status: 'success' })
    expect(await readRun(owner, waiting)).toMatchObject({ status: 'queued' })
    await changed(id, { enabled: true })
    expect(await runOnce(owner, waiting)).toMatchObject({ status: 'success' })
    expect((await send(id)).status).toBe(202)
  })

  it('true clears the reason for which the service disabled the trigger', async () => {
    const { id } = await createTrigger(owner)
    await sql(id, "UPDATE trigger SET enabled = 0, disabled_reason = 'refused', refusals = 10")
    await kill(id)
    expect(await read(id)).toMatchObject({ enabled: false, disabled_reason: 'refused' })
    expect(await changed(id, { enabled: true })).toMatchObject({
      enabled: true,
      disabled_reason: null,
    })
    expect(await sql(id, 'SELECT refusals FROM trigger')).toEqual([{ refusals: 0 }])
  })
})

describe('lower caps take effect immediately', () => {
  it('max_queued_runs below the queue length: keeps queued runs and accepts no more', async () => {
    const { id } = await createTrigger(owner, { max_runs_per_minute: 1 })
    const runs = [await fire(id), await fire(id), await fire(id), await fire(id)]
    await runOnce(owner, runs[0]!)
    await changed(id, { max_queued_runs: 2 })
    expect((await send(id)).status).toBe(429)
    for (const run of runs.slice(1))
      expect(await readRun(owner, run)).toMatchObject({ status: 'queued' })
    await changed(id, { max_queued_runs: 4 })
    expect((await send(id)).status).toBe(202)
  })

  it('max_runs_per_minute: counts starts of the last minute', async () => {
    const { id } = await createTrigger(owner, { max_runs_per_minute: 10 })
    await runOnce(owner, await fire(id))
    await changed(id, { max_runs_per_minute: 1 })
    const waiting = await fire(id)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await readRun(owner, waiting)).toMatchObject({ status: 'queued' })
    await changed(id, { max_runs_per_minute: 2 })
    expect(await runOnce(owner, waiting)).toMatchObject({ status: 'success' })
  })

  it('concurrency: starts no run above the new limit', async () => {
    const { id } = await createTrigger(owner, { action_code: script(slow(400)) })
    const first = await fire(id)
    await changed(id, { options: { concurrency: 1 } })
    const second = await fire(id)
    await vi.waitFor(async () => expect(await readRun(owner, first)).toMatchObject({ attempt: 1 }))
    expect(await readRun(owner, second)).toMatchObject({ status: 'queued' })
    expect(await runOnce(owner, second)).toMatchObject({ status: 'success' })
  })
})

describe('a schedule', () => {
  const nextTickAt = async (id: string) =>
    (await sql<{ at: number | null }>(id, 'SELECT next_tick_at AS at FROM trigger'))[0]!.at
  const schedule = (cron: string, over: object = {}) =>
    createTrigger(owner, { kind: 'schedule', config: { cron }, ...over })

  it('counts a new cron expression from now, and has no next run while disabled', async () => {
    const { id } = await schedule('0 0 1 1 *')
    const { next_run_at } = await changed(id, { config: { cron: '0 * * * *' } })
    const hour = 60 * 60 * 1000
    expect(Date.parse(next_run_at!)).toBe(Math.floor(Date.now() / hour) * hour + hour)
    expect(await changed(id, { enabled: false })).toMatchObject({ next_run_at: null })
    expect(await changed(id, { config: { cron: '5 0 1 1 *' } })).toMatchObject({
      next_run_at: null,
    })
    const again = await changed(id, { enabled: true })
    expect(again.next_run_at).toMatch(/-01-01T00:05:00/)
  })

  it('keeps the next tick if the cron expression is unchanged', async () => {
    const { id } = await schedule('*/30 * * * *')
    // Differs from the first tick of a new cron expression.
    const due = (await nextTickAt(id))! + 30 * 60 * 1000
    await sql(id, 'UPDATE trigger SET next_tick_at = ?', due)
    await kill(id)
    await changed(id, { config: { cron: '*/30 * * * *' }, name: 'the same' })
    expect(await nextTickAt(id)).toBe(due)
    await changed(id, { enabled: true })
    expect(await nextTickAt(id)).toBe(due)
  })
})

describe('an invalid PATCH', () => {
  const RECORD_ONLY = ['id', 'action_cid', 'webhook_url', 'created_at', 'updated_at', 'cron']

  it.each<[string, object]>([
    ...RECORD_ONLY.map((field) => [field, { [field]: 'x' }] as [string, object]),
    ['kind', { kind: 'webhook' }],
    ['name', { name: '' }],
    ['enabled', { enabled: 'false' }],
    ['action_code', { action_code: '' }],
    ['action_code', { action_code: 'x'.repeat(TRIGGER_SOURCE_MAX_BYTES + 1) }],
    ['default_params', { default_params: 'x' }],
    ['default_params', { default_params: { large: 'x'.repeat(256 * 1024) } }],
    ['usage_api_key', { usage_api_key: '' }],
    ['max_runs_per_minute', { max_runs_per_minute: 6_001 }],
    ['max_queued_runs', { max_queued_runs: 0 }],
    ['config', { config: { cron: '0 * * * *' } }],
    ['options', { options: { concurency: 1 } }],
    ['options.concurrency', { options: { concurrency: 65 } }],
    ['options.misfire', { options: { misfire: 'skip' } }],
    ['options.dedup', { options: { dedup: { header: 'x y' } } }],
  ])('returns 422 and names %s for %o, and changes nothing', async (field, body) => {
    const before = await createTrigger(owner)
    const response = await patch(before.id, { name: 'half', ...body })
    expect(response.status).toBe(422)
    expect((await response.json<{ message: string }>()).message).toContain(field)
    expect(await read(before.id)).toEqual(before)
  })

  it.each(['', '{', '[', 'null x'])('returns 400 for invalid JSON: %j', async (body) => {
    const { id } = await createTrigger(owner)
    const init = { ...post('', {}).init, method: 'PATCH', body }
    expect((await owner.api(`/api/triggers/${id}`, init)).status).toBe(400)
  })

  it('returns 400 for invalid UTF-8, because the stored source would differ from the sent one', async () => {
    const { id } = await createTrigger(owner)
    const body = new Uint8Array([...new TextEncoder().encode('{"action_code":"'), 0xff, 0x22, 0x7d])
    const init = { ...post('', {}).init, method: 'PATCH', body }
    expect((await owner.api(`/api/triggers/${id}`, init)).status).toBe(400)
  })

  it('returns 422 for a name that cannot be encoded as UTF-8', async () => {
    const { id } = await createTrigger(owner)
    expect((await patch(id, { name: '\ud800' })).status).toBe(422)
  })

  it('returns 404 for a deleted trigger', async () => {
    const { id } = await createTrigger(owner)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect((await patch(id, { enabled: true })).status).toBe(404)
  })
})
