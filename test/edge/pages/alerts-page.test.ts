import { expect, it, vi } from 'vitest'
import type { AlertSettingsRecord } from '../../../shared/wire/alert.ts'
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

it('CSRF: changes nothing without the token of the session', async () => {
  const { person, id } = await withIncident()
  for (const path of ['/alerts/mute-trigger', '/alerts/settings']) {
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
