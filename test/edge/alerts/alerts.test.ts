import { describe, expect, it, vi } from 'vitest'
import { FAILURES_QUIET_MS } from '../../../edge/alerts/incidents.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts'
import type { AlertSettingsRecord, IncidentsResponse } from '../../../shared/wire/alert.ts'
import { createTrigger, edge, fire, post, runOnce } from '../app.ts'
import {
  deliveriesOf,
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
  settledDeliveries,
  signal,
} from './alerts-harness.ts'

describe('a failed run', () => {
  it('mails the owner once per incident, with a link to the run and a link to mute it', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { name: 'orders', action_code: failing })
    const runId = await fire(id)
    await runOnce(owner, runId)
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    expect(mail!.subject).toBe('A run failed: orders')
    expect(mail!.text).toContain(`/runs/${runId}\n`)
    expect(mail!.text).toContain('action_threw')
    expect(mail!.text).toMatch(/\/alerts\/mute\?token=\S+$/)
    await runOnce(owner, await fire(id))
    await vi.waitFor(async () =>
      expect(await incidentsOf(owner)).toMatchObject([
        {
          trigger_id: id,
          trigger_name: 'orders',
          signal: 'run_failed',
          state: 'open',
          count: 2,
          first_run_id: runId,
          code: 'action_threw',
        },
      ]),
    )
    await settledDeliveries(owner)
    expect(await deliveriesOf(owner)).toMatchObject([
      { channel: 'mail', state: 'sent', test: false, attempts: 1, error: null },
    ])
    expect(await mailsTo(owner.email)).toHaveLength(1)
  })

  it('phishing: a mail contains no text of a run, and no link in the name of a trigger', async () => {
    const owner = await newOwner()
    const name = 'pay at https://phishing.example/now\r\nBcc: victim@example.test'
    const { id } = await createTrigger(owner, {
      name: name.replaceAll(/[\r\n]/g, ' '),
      action_code: failing,
    })
    await runOnce(owner, await fire(id))
    await sent(owner, 1)
    await report(owner, 'other', failed())
    const [mail] = await mailsTo(owner.email)
    expect(mail!.text).not.toContain('phishing.example')
    expect(mail!.subject).not.toContain('phishing.example')
    expect(mail!.subject).not.toMatch(/[\r\n]/)
  })

  it('resolves its incident after six hours without failures, and mails again after that', async () => {
    const owner = await newOwner()
    await report(owner, 'quiet', failed())
    await sent(owner, 1)
    await settledDeliveries(owner)
    await pass(owner.id, FAILURES_QUIET_MS - MINUTE_MS)
    expect(await incidentsOf(owner, '?state=open')).toHaveLength(1)
    await pass(owner.id, 2 * MINUTE_MS)
    expect(await incidentsOf(owner, '?state=open')).toEqual([])
    expect(await incidentsOf(owner, '?state=resolved')).toHaveLength(1)
    await report(owner, 'quiet', failed())
    await sent(owner, 2)
    expect(await incidentsOf(owner, '?trigger_id=quiet')).toMatchObject([
      { state: 'open', count: 1 },
      { state: 'resolved' },
    ])
  })
})

describe('a storm', () => {
  it('of 1,000 failures in a minute causes one mail, and 1,000 failing triggers cause at most three an hour', async () => {
    const owner = await newOwner()
    const all = Array.from({ length: 1_000 }, failed)
    await report(owner, 'storm', ...all.slice(0, 500))
    await report(owner, 'storm', ...all.slice(500))
    await sent(owner, 1)
    expect(await incidentsOf(owner)).toMatchObject([{ count: 1_000 }])
    for (let n = 0; n < 1_000; n++) await report(owner, `trigger-${n}`, failed())
    await settledDeliveries(owner)
    expect(await mailsTo(owner.email)).toHaveLength(1)
    await pass(owner.id, 11 * MINUTE_MS)
    await sent(owner, 2)
    expect((await mailsTo(owner.email))[1]).toMatchObject({
      subject: '1000 triggers need attention',
    })
    for (const n of [1, 2, 3, 4]) {
      await settledDeliveries(owner)
      await report(owner, `later-${n}`, failed())
      await pass(owner.id, 11 * MINUTE_MS)
    }
    // 55 minutes after the first mail.
    await settledDeliveries(owner)
    expect(await mailsTo(owner.email)).toHaveLength(3)
    await pass(owner.id, HOUR_MS)
    await sent(owner, 4)
  })
})

describe('a held trigger', () => {
  it('opens an incident, which ends when its runs start again', async () => {
    const owner = await newOwner()
    await report(owner, 'held', signal({}), signal({ code: 'origin' }))
    expect(await incidentsOf(owner)).toMatchObject([
      { signal: 'trigger_held', state: 'open', code: 'origin', count: 2, last_run_id: null },
    ])
    await report(owner, 'held', signal({ state: 'resolved', code: null }))
    expect(await incidentsOf(owner)).toMatchObject([{ state: 'resolved' }])
    await sent(owner, 1)
    expect((await mailsTo(owner.email))[0]!.subject).toBe('Runs are waiting: name of held')
  })
})

describe('settings', () => {
  it('default to mails about everything', async () => {
    const owner = await newOwner()
    const settings = await (await owner.api('/api/alerts/settings')).json<AlertSettingsRecord>()
    expect(settings).toEqual({
      signals: ['run_failed', 'trigger_disabled', 'trigger_held'],
      channels: ['mail'],
      muted: false,
      thresholds: { expiry_days: 7, credit_cents: 500 },
      available_channels: ['mail'],
      triggers: [],
    })
  })

  it.each([
    ['without the signal', { signals: ['trigger_disabled'] }],
    ['without a channel', { channels: [] }],
    ['while muted', { muted: true }],
  ])('%s, no mail is sent, and the incident is recorded', async (_, change) => {
    const owner = await newOwner()
    expect((await patch(owner, '/api/alerts/settings', change)).status).toBe(200)
    await report(owner, 'silent', failed())
    expect(await incidentsOf(owner)).toHaveLength(1)
    expect(await deliveriesOf(owner)).toEqual([])
  })

  it('of a trigger apply instead of those of the account', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    await patch(owner, '/api/alerts/settings', { signals: [] })
    const changed = await patch(owner, `/api/alerts/triggers/${id}`, { signals: ['run_failed'] })
    const own = {
      trigger_id: id,
      signals: ['run_failed'],
      channels: null,
      muted: false,
      thresholds: { failure_rate: null, queue_share: null },
    }
    expect(await changed.json()).toEqual(own)
    await report(owner, 'other', failed())
    expect(await deliveriesOf(owner)).toEqual([])
    await runOnce(owner, await fire(id))
    await sent(owner, 1)
    const path = `/api/alerts/triggers/${id}`
    expect((await owner.api(path, { method: 'DELETE' })).status).toBe(204)
    const settings = await (await owner.api('/api/alerts/settings')).json<AlertSettingsRecord>()
    expect(settings.triggers).toEqual([])
  })

  it('foreign trigger: cannot be changed for a trigger of another user', async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    const { id } = await createTrigger(owner)
    expect((await patch(other, `/api/alerts/triggers/${id}`, { muted: true })).status).toBe(404)
    expect((await other.api(`/api/alerts/triggers/${id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it('are deleted with the trigger', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    await patch(owner, `/api/alerts/triggers/${id}`, { muted: true })
    await runOnce(owner, await fire(id))
    await vi.waitFor(async () => expect(await incidentsOf(owner)).toHaveLength(1))
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await vi.waitFor(async () => expect(await incidentsOf(owner)).toEqual([]))
    expect(await inReports(owner.id, 'SELECT * FROM alert_settings')).toEqual([])
  })

  it('refuse unknown fields, signals and channels', async () => {
    const owner = await newOwner()
    for (const body of [{ signals: ['nothing'] }, { channels: ['pigeon'] }, { mutd: true }])
      expect((await patch(owner, '/api/alerts/settings', body)).status).toBe(422)
  })
})

describe('a test alert', () => {
  it('is sent, and does not count against the limits', async () => {
    const owner = await newOwner()
    const { path, init } = post('/api/alerts/test', { channel: 'mail' })
    const response = await owner.api(path, init)
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ channel: 'mail', state: 'pending', test: true })
    await sent(owner, 1)
    await report(owner, 'tested', failed())
    await sent(owner, 2)
  })
})

describe('the link in a mail', () => {
  async function mailedLink() {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { action_code: failing })
    await runOnce(owner, await fire(id))
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    const url = new URL(/\S+\/alerts\/mute\?token=\S+/.exec(mail!.text)![0])
    const isMuted = async () => {
      const settings = await (await owner.api('/api/alerts/settings')).json<AlertSettingsRecord>()
      return settings.triggers.some(({ trigger_id, muted }) => trigger_id === id && muted)
    }
    return { owner, id, path: url.pathname + url.search, isMuted }
  }

  it('mail scanner: changes nothing when it is opened', async () => {
    const { path, isMuted } = await mailedLink()
    const page = await edge(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<button>Mute</button>')
    expect((await edge(path, { method: 'HEAD' })).status).toBe(200)
    expect(await isMuted()).toBe(false)
  })

  it('mutes the trigger with one POST, as mail programs send it', async () => {
    const { path, isMuted } = await mailedLink()
    const response = await edge(path, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(200)
    expect(await isMuted()).toBe(true)
  })

  it('has no effect after the trigger was deleted', async () => {
    const { owner, id, path } = await mailedLink()
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect((await edge(path, { method: 'POST' })).status).toBe(200)
    expect(await inReports(owner.id, 'SELECT * FROM alert_settings')).toEqual([])
  })

  it('forgery: refuses a changed token', async () => {
    const { path, isMuted } = await mailedLink()
    for (const forged of [`${path}x`, path.slice(0, -2), '/alerts/mute', '/alerts/mute?token=%00'])
      for (const method of ['GET', 'POST'])
        expect((await edge(forged, { method })).status, forged).toBe(410)
    expect(await isMuted()).toBe(false)
  })
})

describe('lists', () => {
  it('are paged, newest first', async () => {
    const owner = await newOwner()
    for (const n of [1, 2, 3]) await report(owner, `page-${n}`, failed())
    const first = await (await owner.api('/api/alerts/incidents?limit=2')).json<IncidentsResponse>()
    expect(first.incidents.map(({ trigger_id }) => trigger_id)).toEqual(['page-3', 'page-2'])
    const path = `/api/alerts/incidents?limit=2&cursor=${first.next_cursor}`
    const second = await (await owner.api(path)).json<IncidentsResponse>()
    expect(second).toMatchObject({ incidents: [{ trigger_id: 'page-1' }], next_cursor: null })
  })

  it('forget resolved incidents after 90 days', async () => {
    const owner = await newOwner()
    await report(owner, 'old', failed())
    await sent(owner, 1)
    await pass(owner.id, FAILURES_QUIET_MS)
    await pass(owner.id, 90 * DAY_MS)
    expect(await incidentsOf(owner)).toEqual([])
  })
})
