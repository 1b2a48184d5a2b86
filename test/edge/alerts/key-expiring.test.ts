import { runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts'
import { SEALED_KEY_STATES_PATH } from '../../../shared/wire/sealed-key-states.ts'
import { createTrigger, type Owner, post } from '../app.ts'
import { between } from '../http/front-harness.ts'
import {
  checkAgain,
  checked,
  incidentsOf,
  inReports,
  keyCheckOf,
  mailsTo,
  newOwner,
  openIncidents,
  pass,
  patch,
  reportsOf,
  sent,
} from './alerts-harness.ts'

afterEach(() => vi.restoreAllMocks())

let number = 0
/** A key that the double of the origin lets expire after this time. */
const keyThatExpiresIn = (ms: number) => `expires-${Date.now() + ms}-${++number}`

const enable = (owner: Owner, over: object = {}) =>
  patch(owner, '/api/alerts/settings', { signals: ['key_expiring'], ...over })

describe('key_expiring', () => {
  it('opens when the key of a trigger expires within seven days', async () => {
    const owner = await newOwner()
    const key = keyThatExpiresIn(7 * DAY_MS - HOUR_MS)
    const { id } = await createTrigger(owner, { name: 'orders', usage_api_key: key })
    for (const other of ['usage-key', 'unknown-1', keyThatExpiresIn(7 * DAY_MS + HOUR_MS)])
      await createTrigger(owner, { usage_api_key: other })
    expect((await enable(owner)).status).toBe(200)
    await checked(owner)
    const expiry = new Date(Number(key.split('-')[1])).toISOString()
    expect(await incidentsOf(owner)).toMatchObject([
      {
        signal: 'key_expiring',
        state: 'open',
        trigger_id: id,
        trigger_name: 'orders',
        code: expiry,
        message: `The usage key expires at ${expiry}.`,
        first_run_id: null,
      },
    ])
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    expect(mail).toMatchObject({ subject: 'The usage key expires soon: orders' })
    expect(mail!.text).toContain(expiry)
  })

  it('checks nothing, and sets no alarm, unless the signal is enabled', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    const left = between()
    await patch(owner, '/api/alerts/settings', { signals: ['run_failed'] })
    expect(await keyCheckOf(owner)).toBeUndefined()
    const alarm = await runInDurableObject(reportsOf(owner.id), (_, { storage }) =>
      storage.getAlarm(),
    )
    expect(alarm ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() + HOUR_MS)
    expect(left.filter(({ url }) => url.includes(SEALED_KEY_STATES_PATH))).toEqual([])
    expect(await incidentsOf(owner)).toEqual([])
  })

  it('is enabled by the signals of a channel or of a trigger, too', async () => {
    const byChannel = await newOwner()
    const byTrigger = await newOwner()
    const key = keyThatExpiresIn(DAY_MS)
    await createTrigger(byChannel, { usage_api_key: key })
    const { path, init } = post('/api/alerts/channels', {
      type: 'webhook',
      name: 'x',
      url: 'https://hooks.svc.dev',
      signals: ['key_expiring'],
    })
    expect((await byChannel.api(path, init)).status).toBe(201)
    const { id } = await createTrigger(byTrigger, { usage_api_key: key })
    await patch(byTrigger, `/api/alerts/triggers/${id}`, { signals: ['key_expiring'] })
    for (const owner of [byChannel, byTrigger]) {
      await checked(owner)
      expect(await openIncidents(owner)).toMatchObject([{ signal: 'key_expiring' }])
    }
    const deliveries = await inReports(byChannel.id, 'SELECT channel FROM alert_deliveries')
    expect(deliveries).toEqual([{ channel: 'webhook' }])
  })

  it('opens one incident for all triggers with the same key', async () => {
    const owner = await newOwner()
    const key = keyThatExpiresIn(DAY_MS)
    const { id } = await createTrigger(owner, { name: 'first', usage_api_key: key })
    const { id: second } = await createTrigger(owner, { name: 'second', usage_api_key: key })
    await createTrigger(owner, { name: 'third', usage_api_key: key })
    // Alerts about the other triggers are still sent.
    await patch(owner, `/api/alerts/triggers/${id}`, { muted: true })
    await enable(owner)
    await checked(owner)
    const [incident, ...others] = await incidentsOf(owner)
    expect(others).toEqual([])
    expect(incident!.message).toContain('2 other triggers use it.')
    await sent(owner, 1)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await checkAgain(owner)
    expect(await incidentsOf(owner)).toMatchObject([{ trigger_id: second, state: 'open' }])
  })

  it('sends no alert if all triggers with the key are muted', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    await patch(owner, `/api/alerts/triggers/${id}`, { muted: true })
    await enable(owner)
    await checked(owner)
    expect(await incidentsOf(owner)).toHaveLength(1)
    expect(await inReports(owner.id, 'SELECT * FROM alert_deliveries')).toEqual([])
  })

  it('does not alert again while the incident is open', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    await enable(owner)
    await checked(owner)
    await sent(owner, 1)
    await checkAgain(owner)
    expect(await incidentsOf(owner)).toMatchObject([{ state: 'open', count: 1 }])
    expect(await inReports(owner.id, 'SELECT * FROM alert_deliveries')).toHaveLength(1)
  })

  it.each([
    ['the key is replaced', { usage_api_key: 'usage-key' }],
    ['the trigger is disabled', { enabled: false }],
  ])('is resolved when %s', async (_, change) => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    await enable(owner)
    await checked(owner)
    expect(await openIncidents(owner)).toHaveLength(1)
    expect((await patch(owner, `/api/triggers/${id}`, change)).status).toBe(200)
    await checkAgain(owner)
    expect(await openIncidents(owner)).toEqual([])
  })

  it('is resolved, and no longer checked, when the signal is switched off', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    await enable(owner)
    await checked(owner)
    await patch(owner, '/api/alerts/settings', { signals: [] })
    expect(await openIncidents(owner)).toEqual([])
    await inReports(owner.id, 'UPDATE key_checks SET next_at = 0, started_at = 0')
    await pass(owner.id, 0)
    expect(await keyCheckOf(owner)).toEqual({ started_at: 0, is_finished: 1, next_at: 0 })
  })

  it('keeps its incidents, and tries again in an hour, if the origin does not respond', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: keyThatExpiresIn(DAY_MS) })
    await enable(owner)
    await checked(owner)
    await inReports(owner.id, 'UPDATE key_checks SET next_at = 0')
    const calls: string[] = []
    between((request) => {
      calls.push(new URL(request.url).pathname)
      return Promise.reject(new Error('refused'))
    })
    await pass(owner.id, 0)
    await vi.waitFor(() => expect(calls).toContain(SEALED_KEY_STATES_PATH))
    vi.restoreAllMocks()
    expect(await openIncidents(owner)).toHaveLength(1)
    const { is_finished, next_at } = (await keyCheckOf(owner))!
    expect(is_finished).toBe(0)
    expect(Number(next_at)).toBeGreaterThan(Date.now() + HOUR_MS / 2)
  })
})

describe('incidents about keys that triggers share', () => {
  async function alerted() {
    const owner = await newOwner()
    const key = keyThatExpiresIn(DAY_MS)
    const { id: first } = await createTrigger(owner, { name: 'first', usage_api_key: key })
    await enable(owner)
    await checked(owner)
    await sent(owner, 1)
    return { owner, key, first }
  }
  const pendingMails = (owner: Owner) =>
    inReports(owner.id, 'SELECT id FROM incidents WHERE mail_pending = 1')

  it('alert about another key that a trigger gets', async () => {
    const { first, owner } = await alerted()
    const [old] = await openIncidents(owner)
    await patch(owner, `/api/triggers/${first}`, { usage_api_key: keyThatExpiresIn(2 * DAY_MS) })
    await checkAgain(owner)
    const [incident, ...others] = await openIncidents(owner)
    expect(others).toEqual([])
    expect(incident!.id).not.toBe(old!.id)
    expect(await pendingMails(owner)).toEqual([{ id: incident!.id }])
  })

  it.each([
    ['is deleted', (owner: Owner, path: string) => owner.api(path, { method: 'DELETE' })],
    ['is disabled', (owner: Owner, path: string) => patch(owner, path, { enabled: false })],
    [
      'gets another key',
      (owner: Owner, path: string) => patch(owner, path, { usage_api_key: 'usage-key' }),
    ],
  ])('do not alert again when their trigger %s', async (_, change) => {
    const { first, key, owner } = await alerted()
    const { id: second } = await createTrigger(owner, { name: 'second', usage_api_key: key })
    await checkAgain(owner)
    const { id } = (await openIncidents(owner))[0]!
    await change(owner, `/api/triggers/${first}`)
    await checkAgain(owner)
    expect(await openIncidents(owner)).toMatchObject([
      { id, trigger_id: second, trigger_name: 'second', count: 1 },
    ])
    expect(await pendingMails(owner)).toEqual([])
  })

  it('do not alert again if they have no hash yet', async () => {
    const { owner } = await alerted()
    await inReports(owner.id, "UPDATE incidents SET shared_hash = ''")
    await checkAgain(owner)
    expect(await openIncidents(owner)).toHaveLength(1)
    expect(await pendingMails(owner)).toEqual([])
  })
})

describe('thresholds.expiry_days', () => {
  it('applies at once, and is 7 by default', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: keyThatExpiresIn(20 * DAY_MS) })
    await enable(owner)
    await checked(owner)
    expect(await openIncidents(owner)).toEqual([])
    const settings = await enable(owner, { thresholds: { expiry_days: 21 } })
    expect(await settings.json()).toMatchObject({ thresholds: { expiry_days: 21 } })
    expect(await openIncidents(owner)).toHaveLength(1)
    await enable(owner, { thresholds: { expiry_days: 19 } })
    expect(await openIncidents(owner)).toEqual([])
    await enable(owner, { muted: false })
    const read = await owner.api('/api/alerts/settings')
    expect(await read.json()).toMatchObject({ thresholds: { expiry_days: 19 } })
  })

  it.each([0, 91, 1.5, '7'])('rejects %j', async (expiry_days) => {
    const owner = await newOwner()
    const response = await enable(owner, { thresholds: { expiry_days } })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('thresholds.expiry_days')
  })

  it('is not a setting of a single trigger', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner)
    const body = { thresholds: { expiry_days: 1 } }
    expect((await patch(owner, `/api/alerts/triggers/${id}`, body)).status).toBe(422)
  })
})
