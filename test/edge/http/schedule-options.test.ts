import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { TriggerPreview } from '../../../shared/wire/preview.ts'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { createTrigger, type Owner, post, script, someOwner, success } from '../app.ts'

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

const fields = (config: object) => ({
  name: 'on time',
  kind: 'schedule',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  config,
})
const send = (path: string, body: object) => owner.api(path, post(path, body).init)
const patch = async (id: string, body: object): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })).json()
const read = async (id: string): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`)).json()
const listed = async (id: string) => {
  const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
  return list.find((trigger) => trigger.id === id)
}
const preview = (config: object) => send('/api/triggers/preview', { kind: 'schedule', config })
const runsOf = async (id: string): Promise<RunRecord[]> => {
  const page: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
  return page.runs
}
const waitForRuns = (id: string, count: number) =>
  vi.waitUntil(
    async () => {
      const runs = await runsOf(id)
      return runs.length >= count && runs.every(({ status }) => status === 'success') && runs
    },
    { timeout: 50_000, interval: 50 },
  )
const inSeconds = (seconds: number) =>
  new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toISOString()
const short = (time: string) => time.replace('.000Z', 'Z')

describe('a schedule in a time zone', () => {
  it('stores the current name of the zone, and its runs get the local time', async () => {
    const second = (Math.floor(Date.now() / 1000) + 2) % 30
    const cron = `${second},${second + 30} * * * * *`
    const record = await createTrigger(owner, fields({ cron, timezone: 'asia/katmandu' }))
    expect(record.config).toEqual({ cron, timezone: 'Asia/Kathmandu' })
    const run = (await waitForRuns(record.id, 1)).at(-1)!
    const local = new Date(Date.parse(record.next_run_at!) + 5.75 * 3_600_000).toISOString()
    expect(run.input).toEqual({
      source: 'schedule',
      scheduled_at: short(record.next_run_at!),
      scheduled_local: local.replace('.000Z', '+05:45'),
      cron,
      timezone: 'Asia/Kathmandu',
    })
  }, 60_000)

  it('is unchanged by a PATCH with another name of the same zone', async () => {
    const config = { cron: '0 9 * * *', timezone: 'Asia/Kolkata' }
    const { id, next_run_at } = await createTrigger(owner, fields(config))
    expect(new Date(next_run_at!).toISOString()).toContain('T03:30:00')
    const changed = await patch(id, { config: { ...config, timezone: 'Asia/Calcutta' } })
    expect(changed).toMatchObject({ config, next_run_at })
  })

  it('is rejected with a name that does not exist, and the error proposes another', async () => {
    const config = { cron: '0 9 * * *', timezone: 'Europe/Moskow' }
    const response = await send('/api/triggers', fields(config))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      message: 'config.timezone: "Europe/Moskow" is not a time zone.',
      fix: 'Did you mean Europe/Moscow?',
    })
  })
})

describe('a one-off run', () => {
  it('fires once, and again after a PATCH with a new time', async () => {
    const at = inSeconds(2)
    const { id, next_run_at } = await createTrigger(owner, fields({ at }))
    expect(next_run_at).toBe(at)
    const [run] = await waitForRuns(id, 1)
    expect(run!.input).toEqual({ source: 'schedule', scheduled_at: short(at), at })
    const ended = { next_run_at: null, ended_reason: expect.stringContaining('config.at') }
    expect(await read(id)).toMatchObject({ enabled: true, ...ended })
    expect(await listed(id)).toMatchObject(ended)
    const again = inSeconds(2)
    const armed = await patch(id, { config: { at: again } })
    expect(armed.next_run_at).toBe(again)
    expect(armed.ended_reason).toBeUndefined()
    expect(await waitForRuns(id, 2)).toHaveLength(2)
  }, 60_000)

  it('in the past is rejected at creation and in the preview', async () => {
    const config = { at: '2026-01-01T00:00:00Z' }
    for (const response of [await send('/api/triggers', fields(config)), await preview(config)]) {
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        message: expect.stringMatching(/^config\.at: .*after the current time/),
      })
    }
  })
})

describe('a schedule with bounds', () => {
  it('has ended once no tick is left before ends_at', async () => {
    const { id } = await createTrigger(owner, fields({ cron: '0 9 * * *' }))
    const config = { cron: '0 9 * * *', ends_at: '2026-01-01T10:00:00+01:00' }
    const ended = { next_run_at: null, ended_reason: expect.stringContaining('config.ends_at') }
    expect(await patch(id, { config })).toMatchObject({ config, ...ended })
    await vi.waitUntil(async () => (await listed(id))?.next_run_at === null, { timeout: 10_000 })
    expect(await listed(id)).toMatchObject(ended)
    const paused = await patch(id, { enabled: false })
    expect(paused.next_run_at).toBeNull()
    expect(paused.ended_reason).toBeUndefined()
  })

  it('has its first tick after starts_at', async () => {
    const config = { cron: '0 9 * * *', starts_at: '2099-06-01T12:00:00Z' }
    expect(await createTrigger(owner, fields(config))).toMatchObject({
      next_run_at: '2099-06-02T09:00:00.000Z',
    })
  })

  it('that has ended is rejected at creation', async () => {
    const config = { cron: '0 9 * * *', ends_at: '2026-01-01T10:00:00Z' }
    const response = await send('/api/triggers', fields(config))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      message: expect.stringMatching(/^config\.ends_at: /),
    })
  })
})

describe('a schedule with jitter', () => {
  it('shows the delayed time of its next run', async () => {
    const config = { cron: '0 3 1 1 *', jitter_s: 86_000 }
    const records = await Promise.all(
      Array.from({ length: 4 }, () => createTrigger(owner, fields(config))),
    )
    const nominal = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1, 3)
    const delays = records.map(({ next_run_at }) => Date.parse(next_run_at!) - nominal)
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(0)
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(86_000_000)
    expect(new Set(delays).size).toBeGreaterThan(1)
  })
})

describe('the preview of a schedule', () => {
  it('shows local times, and marks the ticks that a change of the clock moves', async () => {
    // On the second Sunday of March, the clock is put forward from 02:00 to 03:00.
    const config = { cron: '30 2 * 3 0#2', timezone: 'America/New_York' }
    const shown: TriggerPreview = await (await preview(config)).json()
    expect(shown.ticks).toHaveLength(5)
    for (const [at, { utc, local, clock_change }] of shown.ticks!.entries()) {
      expect(utc).toBe(shown.next![at])
      expect(utc).toMatch(/-03-\d\dT07:00:00Z$/)
      expect(local).toMatch(/-03-\d\dT03:00:00-04:00$/)
      expect(clock_change).toBe('skipped')
    }
    expect(shown.params).toEqual({
      source: 'schedule',
      scheduled_at: shown.next![0],
      scheduled_local: shown.ticks![0]!.local,
      ...config,
    })
  })

  it('of a one-off run shows its time', async () => {
    const at = '2099-06-01T12:00:00+02:00'
    expect(await (await preview({ at })).json()).toEqual({
      next: ['2099-06-01T10:00:00Z'],
      params: { source: 'schedule', scheduled_at: '2099-06-01T10:00:00Z', at },
    })
  })

  it('shows only the ticks until the end', async () => {
    const config = { cron: '0 9 * * *', starts_at: '2099-06-01T00:00:00Z' }
    const response = await preview({ ...config, ends_at: '2099-06-02T09:00:00Z' })
    const shown: TriggerPreview = await response.json()
    expect(shown.next).toEqual(['2099-06-01T09:00:00Z', '2099-06-02T09:00:00Z'])
    expect(shown.ticks).toBeUndefined()
  })
})
