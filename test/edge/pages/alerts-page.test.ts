import { expect, it, vi } from 'vitest'
import type { AlertSettingsRecord } from '../../../shared/wire/alert.ts'
import type { AlertChannelsResponse } from '../../../shared/wire/alert-channel.ts'
import { createTrigger, edge, fire, runOnce, script } from '../app.ts'
import { hidden, Person } from './person.ts'

const failing = script({
  outcome: {
    status: 'failed',
    action_cid: 'cid',
    duration_ms: 1,
    charged_cents: 0,
    logs: [],
    code: 'action_threw',
    message: 'Error: No.',
    stack: '',
  },
})

const settingsOf = async ({ owner }: Person) =>
  (await owner.api('/api/alerts/settings')).json<AlertSettingsRecord>()
async function withIncident() {
  const person = await Person.signedIn()
  const { id } = await createTrigger(person.owner, { name: '<b>orders</b>', action_code: failing })
  await runOnce(person.owner, await fire(id))
  const page = await vi.waitUntil(async () => {
    const shown = await person.get('/alerts')
    return shown.text.includes('orders') && shown
  })
  return { person, id, page }
}

it('lists incidents, and mutes and unmutes a trigger', async () => {
  const { person, id, page } = await withIncident()
  expect(page.text).toContain('&lt;b&gt;orders')
  expect(page.text).toContain('action_threw')
  expect(page.text).toContain(`href="/triggers/${id}"`)
  const csrf = hidden(page, 'csrf', '/alerts/mute-trigger')
  await person.post('/alerts/mute-trigger', { csrf, trigger: id, muted: 'yes' })
  expect((await settingsOf(person)).triggers).toMatchObject([{ trigger_id: id, muted: true }])
  const muted = await person.get('/alerts')
  expect(muted.text).toContain('Muted triggers')
  await person.post('/alerts/mute-trigger', { csrf, trigger: id, muted: 'no' })
  expect((await settingsOf(person)).triggers).toMatchObject([{ trigger_id: id, muted: false }])
})

it('changes the settings', async () => {
  const person = await Person.signedIn()
  const csrf = hidden(await person.get('/alerts'), 'csrf', '/alerts/settings')
  await person.post('/alerts/settings', { csrf, signals: 'trigger_held', muted: 'yes' })
  expect(await settingsOf(person)).toMatchObject({ signals: ['trigger_held'], muted: true })
})

it('changes the thresholds of a trigger, in percent', async () => {
  const person = await Person.signedIn()
  const { id } = await createTrigger(person.owner, { name: 'orders' })
  const csrf = hidden(await person.get('/alerts'), 'csrf', '/alerts/thresholds')
  const change = { csrf, trigger: id, failure_rate: '10', queue_share: '' }
  const refused = await person.post('/alerts/thresholds', { ...change, queue_share: '101' })
  expect(refused.status).toBe(400)
  await person.post('/alerts/thresholds', change)
  const thresholds = { failure_rate: 0.1, queue_share: null }
  expect((await settingsOf(person)).triggers).toMatchObject([{ trigger_id: id, thresholds }])
  expect((await person.get('/alerts')).text).toMatch(/failed runs 10 %, queue 80 %/)
})

it('changes the thresholds of expiring keys and low credit', async () => {
  const person = await Person.signedIn()
  const page = await person.get('/alerts')
  const csrf = hidden(page, 'csrf', '/alerts/settings')
  expect(page.text).toMatch(/name="expiry_days"[^>]* value="7"/)
  const change = { csrf, signals: 'key_expiring' }
  const refused = await person.post('/alerts/settings', { ...change, expiry_days: '91' })
  expect(refused.status).toBe(422)
  expect((await settingsOf(person)).thresholds).toEqual({ expiry_days: 7, credit_cents: 500 })
  await person.post('/alerts/settings', { ...change, expiry_days: '30', credit_cents: '900' })
  expect(await settingsOf(person)).toMatchObject({
    signals: ['key_expiring'],
    thresholds: { expiry_days: 30, credit_cents: 900 },
  })
})

it('adds channels, shows the secret once, and changes, tests and deletes them', async () => {
  const person = await Person.signedIn()
  const { id, name } = await person.trigger({ name: 'on <i>call' })
  const csrf = hidden(await person.get('/alerts'), 'csrf', '/alerts/channels/add')
  const channels = async () =>
    (await (await person.owner.api('/api/alerts/channels')).json<AlertChannelsResponse>()).channels
  const add = (form: Record<string, string>) =>
    person.post('/alerts/channels/add', { csrf, signals: 'run_failed', ...form })
  const added = await add({ type: 'webhook', name: '<b>hook', url: 'https://hooks.svc.dev/x' })
  expect(added.status).toBe(200)
  expect(added.response.headers.get('cache-control')).toContain('no-store')
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(added.text)![0]
  expect((await add({ type: 'trigger', name, trigger_id: id })).status).toBe(303)
  expect(await channels()).toMatchObject([
    { type: 'webhook', name: '<b>hook', signals: ['run_failed'], enabled: true },
    { type: 'trigger', trigger_id: id },
  ])
  const page = await person.get('/alerts')
  expect(page.text).toContain('&lt;b&gt;hook')
  expect(page.text).toContain('on &lt;i&gt;call')
  expect(page.text).not.toContain(secret)
  const change = (change: string) =>
    person.post('/alerts/channels/change', { csrf, channel: '2', change })
  await change('disable')
  expect(await channels()).toMatchObject([{ enabled: true }, { enabled: false }])
  await change('enable')
  await change('test')
  await vi.waitUntil(async () => /: sent, test/.test((await person.get('/alerts')).text))
  const rotated = await person.post('/alerts/channels/change', {
    csrf,
    channel: '1',
    change: 'rotate',
  })
  expect(/whsec_[A-Za-z0-9+/=]+/.exec(rotated.text)![0]).not.toBe(secret)
  await change('delete')
  expect(await channels()).toMatchObject([{ id: 1 }])
})

it('explains why a channel was not added', async () => {
  const person = await Person.signedIn()
  const csrf = hidden(await person.get('/alerts'), 'csrf', '/alerts/channels/add')
  const { status, text } = await person.post('/alerts/channels/add', {
    csrf,
    type: 'webhook',
    name: 'x',
    url: 'https://10.0.0.1',
    signals: 'run_failed',
  })
  expect(status).toBe(400)
  expect(text).toContain('url: expected a public host name.')
})

it('CSRF: changes nothing without the token of the session', async () => {
  const { person, id } = await withIncident()
  const forms = ['mute-trigger', 'settings', 'channels/add', 'channels/change']
  for (const path of forms.map((form) => `/alerts/${form}`)) {
    const { status } = await person.post(path, { csrf: 'x', trigger: id, muted: 'yes' })
    expect(status).toBe(403)
  }
  expect(await settingsOf(person)).toMatchObject({ muted: false, triggers: [] })
})

it('foreign trigger: cannot be muted', async () => {
  const [{ id }, other] = [await withIncident(), await Person.signedIn()]
  const csrf = hidden(await other.get('/alerts'), 'csrf', '/alerts/settings')
  const { status } = await other.post('/alerts/mute-trigger', { csrf, trigger: id, muted: 'yes' })
  expect(status).toBe(404)
})

it('redirects to the sign-in page without a session', async () => {
  const response = await edge('/alerts', { redirect: 'manual' })
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/sign-in?next=%2Falerts')
})
