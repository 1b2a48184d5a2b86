import { describe, expect, it, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts'
import {
  createTrigger,
  edge,
  env,
  fire,
  type Owner,
  post,
  runOnce,
  script,
  slow,
  sql,
} from '../app.ts'
import {
  failed,
  failing,
  incidentsOf,
  inReports,
  mailsTo,
  newOwner,
  pass,
  patch,
  report,
  sent,
  signal,
} from './alerts-harness.ts'

const signalsOf = async (owner: Owner) => (await incidentsOf(owner)).map((one) => one.signal)

describe('failure_rate', () => {
  it('opens when at least half of 20 runs in an hour failed, and not before', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    for (let n = 0; n < 19; n++) await runOnce(owner, await fire(id))
    await vi.waitFor(async () => expect(await incidentsOf(owner)).toMatchObject([{ count: 19 }]))
    await runOnce(owner, await fire(id))
    await vi.waitFor(async () =>
      expect(
        (await incidentsOf(owner)).toSorted((a, b) => (a.signal < b.signal ? -1 : 1)),
      ).toMatchObject([
        { signal: 'failure_rate', state: 'open', message: '20 of the last 20 runs failed.' },
        { signal: 'run_failed', count: 20 },
      ]),
    )
  })

  it('is resolved after an hour without further reports', async () => {
    const owner = await newOwner()
    await report(owner, 'failing', signal({ signal: 'failure_rate', code: null }))
    await pass(owner.id, HOUR_MS - MINUTE_MS)
    expect(await incidentsOf(owner)).toMatchObject([{ state: 'open' }])
    await pass(owner.id, MINUTE_MS)
    expect(await incidentsOf(owner)).toMatchObject([{ state: 'resolved' }])
  })
})

describe('queue_share', () => {
  it('opens when 80 % of the queue are used, and is resolved when the queue is empty', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, {
      action_code: script(slow(60_000)),
      max_queued_runs: 10,
      options: { concurrency: 1 },
    })
    for (let n = 0; n < 8; n++) await fire(id)
    expect(await sql(id, `SELECT * FROM runs WHERE status = 'queued'`)).toHaveLength(7)
    expect(await incidentsOf(owner)).toEqual([])
    await fire(id)
    await fire(id)
    await vi.waitFor(async () =>
      expect(await incidentsOf(owner)).toMatchObject([
        { signal: 'queue_share', state: 'open', count: 1, message: '8 of 10 runs are queued.' },
      ]),
    )
    const { path, init } = post(`/api/triggers/${id}/purge`, {})
    expect((await owner.api(path, init)).status).toBe(200)
    await vi.waitFor(async () =>
      expect(await incidentsOf(owner)).toMatchObject([{ state: 'resolved' }]),
    )
  })
})

describe('the new signals', () => {
  it('alert only if the owner chooses them, or a channel has them', async () => {
    const owner = await newOwner()
    const all = ['failure_rate', 'queue_share', 'schedule_late'] as const
    const opened = (trigger: string) =>
      report(owner, trigger, ...all.map((each) => signal({ signal: each, code: null })))
    const channel = { type: 'webhook', name: 'x', url: 'https://hooks.svc.dev' }
    for (const signals of [undefined, ['queue_share']]) {
      const { path, init } = post('/api/alerts/channels', {
        ...channel,
        ...(signals && { signals }),
      })
      expect((await owner.api(path, init)).status).toBe(201)
    }
    await opened('first')
    expect((await signalsOf(owner)).toSorted()).toEqual([...all])
    const deliveries = () =>
      inReports(
        owner.id,
        'SELECT channel, channel_id, incident_ids FROM alert_deliveries ORDER BY id',
      )
    expect(await deliveries()).toMatchObject([{ channel: 'webhook', channel_id: 2 }])
    expect(await mailsTo(owner.email)).toEqual([])
    await patch(owner, '/api/alerts/settings', { signals: ['schedule_late'] })
    await opened('second')
    await sent(owner, 1)
    expect((await mailsTo(owner.email))[0]).toMatchObject({
      subject: 'The schedule did not fire on time: name of second',
    })
    expect(await deliveries()).toMatchObject([
      { channel_id: 2 },
      { channel: 'mail' },
      { channel: 'webhook', channel_id: 1 },
    ])
    await report(owner, 'second', failed())
    expect(await deliveries()).toHaveLength(3)
  })
})

it('metrics count opened incidents and attempts to send alerts', async () => {
  const metrics = async () => {
    const headers = { authorization: `Bearer ${env.METRICS_TOKEN}` }
    return (await edge('/metrics', { headers })).text()
  }
  const owner = await newOwner()
  await report(owner, 'counted', failed())
  await sent(owner, 1)
  await vi.waitFor(
    async () => {
      const text = await metrics()
      expect(text).toMatch(/^svc_edge_incidents_opened_total\{signal="run_failed"\} [1-9]/m)
      expect(text).toMatch(/^svc_edge_alert_attempts_total\{channel="mail",result="sent"\} [1-9]/m)
    },
    { timeout: 30_000, interval: 500 },
  )
})
