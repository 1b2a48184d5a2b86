import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { TriggerPreview } from '../../../shared/wire/preview.ts'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  type Owner,
  post,
  readRun,
  runOnce,
  script,
  seen,
  slow,
  someOwner,
  success,
} from '../app.ts'

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

const YEARLY = '0 3 1 1 *'
const fields = (cron: unknown, over: object = {}) => ({
  name: 'on time',
  kind: 'schedule',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  config: { cron },
  ...over,
})
const send = (path: string, body: object) => owner.api(path, post(path, body).init)
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const read = async (id: string): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`)).json()
const runs = async (id: string): Promise<RunRecord[]> => {
  const page: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
  return page.runs
}

/** Creates a schedule with its first tick in about two seconds, or half a minute later on a slow machine. */
async function createSoon(over: object): Promise<TriggerRecord & { cron: string; at: number }> {
  const second = (Math.floor(Date.now() / 1000) + 2) % 30
  const cron = `${second},${second + 30} * * * * *`
  const record = await createTrigger(owner, fields(cron, over))
  return { ...record, cron, at: Date.parse(record.next_run_at!) }
}
const firstRun = (id: string) =>
  vi.waitUntil(async () => (await runs(id))[0], { timeout: 45_000, interval: 50 })
const nominal = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')

describe('creating a schedule', () => {
  it('returns its next tick, which the record and the list also show', async () => {
    const record = await createTrigger(owner, fields(YEARLY))
    const year = new Date().getUTCFullYear() + 1
    expect(record).toMatchObject({ kind: 'schedule', config: { cron: YEARLY }, enabled: true })
    expect(record.next_run_at).toBe(`${year}-01-01T03:00:00.000Z`)
    expect(record.webhook_url).toBeUndefined()
    expect(await read(record.id)).toMatchObject({ next_run_at: record.next_run_at })
    const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    expect(list.find(({ id }) => id === record.id)).toMatchObject({
      next_run_at: record.next_run_at,
    })
  })

  it('returns no next tick if it is disabled', async () => {
    const record = await createTrigger(owner, fields(YEARLY, { enabled: false }))
    expect(record.next_run_at).toBeNull()
  })

  it.each([
    ['an interval below 30 s', { cron: '0,45 * * * * *' }, 'config.cron'],
    ['a date', { cron: '2026-12-01T00:00:00' }, 'config.cron'],
    ['a time that never comes', { cron: '0 0 30 2 *' }, 'config.cron'],
    ['no cron', {}, 'config.cron'],
    ['a number', { cron: 5 }, 'config.cron'],
    ['another key', { cron: YEARLY, time_zone: 'Europe/Rome' }, 'config.time_zone'],
  ])('is rejected with %s', async (_, config, field) => {
    const response = await send('/api/triggers', fields('', { config }))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ message: expect.stringContaining(field) })
  })
})

describe('a tick', () => {
  it('fires on time, and source, scheduled_at and cron override default params', async () => {
    const defaults = { mine: 1, cron: 'mine', source: 'mine' }
    const { id, cron, at } = await createSoon({ default_params: defaults })
    const run = await firstRun(id)
    const ended = await runOnce(owner, run.id)
    const params = { mine: 1, source: 'schedule', scheduled_at: nominal(at), cron }
    expect(ended).toMatchObject({ status: 'success', test: false, replay_of: null })
    expect(ended.input).toEqual(params)
    expect((await seen(run.id))[0]!.params).toEqual(params)
    expect(Date.parse(ended.started_at!)).toBeGreaterThanOrEqual(at)
    expect(await read(id)).toMatchObject({ next_run_at: new Date(at + 30_000).toISOString() })
    expect(await runs(id)).toHaveLength(1)
  }, 60_000)

  it('can be replayed with its params', async () => {
    const { id } = await createSoon({})
    const run = await firstRun(id)
    await runOnce(owner, run.id)
    const answer = await send(`/api/runs/${run.id}/replay`, {})
    const { run_id }: { run_id: string } = await answer.json()
    expect(await runOnce(owner, run_id)).toMatchObject({ replay_of: run.id, input: run.input })
  }, 60_000)

  it('is queued while the run of the previous tick is running', async () => {
    const { id, at } = await createSoon({ action_code: script(slow(10_000)) })
    const run = await firstRun(id)
    const params = { params: { scheduled_at: nominal(at) } }
    const answer = await send(`/api/triggers/${id}/test`, params)
    const { run_id }: { run_id: string } = await answer.json()
    expect(await readRun(owner, run_id)).toMatchObject({ status: 'queued' })
    expect(await readRun(owner, run.id)).toMatchObject({ status: 'running' })
  }, 60_000)

  it('does not fire if the schedule was disabled in time', async () => {
    const { id, at } = await createSoon({})
    expect(await (await patch(id, { enabled: false })).json()).toMatchObject({ next_run_at: null })
    await new Promise((resolve) => setTimeout(resolve, at + 500 - Date.now()))
    expect(await runs(id)).toEqual([])
    const again: TriggerRecord = await (await patch(id, { enabled: true })).json()
    expect(Date.parse(again.next_run_at!)).toBeGreaterThan(at)
  }, 60_000)
})

describe('PATCH of a schedule', () => {
  it('counts a new cron expression from now', async () => {
    const { id } = await createTrigger(owner, fields(YEARLY))
    const record: TriggerRecord = await (
      await patch(id, { config: { cron: '*/30 * * * * *' } })
    ).json()
    const ahead = Date.parse(record.next_run_at!) - Date.now()
    expect(ahead).toBeGreaterThan(-1_000)
    expect(ahead).toBeLessThanOrEqual(30_000)
  })

  it('rejects what creation rejects, and leaves the schedule unchanged', async () => {
    const before = await createTrigger(owner, fields(YEARLY))
    const response = await patch(before.id, { config: { cron: '* * * * * *' } })
    expect(response.status).toBe(422)
    expect(await read(before.id)).toMatchObject({
      config: { cron: YEARLY },
      next_run_at: before.next_run_at,
    })
  })
})

describe('POST /api/triggers/preview', () => {
  const preview = (body: object) => send('/api/triggers/preview', body)

  it('shows the next five ticks of a schedule, their interval, and the params of the action', async () => {
    const config = { cron: '*/30 * * * * *' }
    const response = await preview({ kind: 'schedule', config, default_params: { mine: 1 } })
    expect(response.status).toBe(200)
    const shown: TriggerPreview = await response.json()
    const times = shown.next!.map((time) => Date.parse(time))
    expect(times).toHaveLength(5)
    expect(times.map((time) => time - times[0]!)).toEqual([0, 30_000, 60_000, 90_000, 120_000])
    expect(times[0]! - Date.now()).toBeLessThanOrEqual(30_000)
    expect(shown.min_interval_s).toBe(30)
    expect(shown.params).toEqual({
      mine: 1,
      source: 'schedule',
      scheduled_at: shown.next![0],
      ...config,
    })
    expect(shown.next![0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:(00|30)Z$/)
  })

  it('shows the params of the action for a small webhook event', async () => {
    const response = await preview({ kind: 'webhook', default_params: { mine: 1 } })
    const shown: TriggerPreview = await response.json()
    expect(shown.next).toBeUndefined()
    expect(shown.params).toMatchObject({
      mine: 1,
      source: 'webhook',
      event: { hello: 'world' },
      event_raw: '{"hello":"world"}',
      event_raw_encoding: 'utf8',
    })
  })

  it.each([
    ['a cron that creation refuses', { kind: 'schedule', config: { cron: '0,45 * * * * *' } }],
    ['a schedule without a cron', { kind: 'schedule' }],
    ['a webhook with a config', { kind: 'webhook', config: { a: 1 } }],
    ['a chain event without a chain', { kind: 'chain_event', config: {} }],
    ['a kind that is unknown', { kind: 'cron' }],
    ['an unknown field', { kind: 'webhook', name: 'x' }],
  ])('rejects %s with 422', async (_, body) => {
    expect((await preview(body)).status).toBe(422)
  })

  it('creates nothing', async () => {
    const other = await someOwner()
    await other.api('/api/triggers/preview', post('', { kind: 'webhook' }).init)
    expect(await (await other.api('/api/triggers')).json()).toEqual([])
  })
})
