import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../shared/client/index.ts'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../../doubles/trigger-api.ts'
import { svc } from './command-line.ts'

const ID = 'A'.repeat(32)

let api: TriggerApi
const folder = mkdtempSync(join(tmpdir(), 'svc-alerts-'))
beforeAll(async () => {
  api = await startTriggerApi()
})
afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

function at(...words: string[]) {
  const environment = {
    SVC_TRIGGERS_URL: api.url,
    SVC_BASE_URL: api.url,
    SVC_TOKEN: GOOD_TOKEN,
    SVC_CONFIG_DIR: join(folder, 'config'),
  }
  return svc(['alerts', ...words], { folder, environment })
}

it('svc alerts list prints all pages of incidents, or only the open ones', async () => {
  const { code, out } = await at('list')
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    `2026-05-22 13:05:00Z  open      orders  run_failed    action_threw  7  ${'A'.repeat(48)}`,
    '2026-05-22 13:05:00Z  resolved  orders  trigger_held  payment       7  -',
    '',
  ])
  const open = JSON.parse((await at('list', '--open', '--json')).out)
  expect(open).toMatchObject([{ id: 2, state: 'open' }])
})

it('svc alerts mutes and unmutes a trigger, and all alerts', async () => {
  expect((await at('mute', ID)).out).toBe(`${ID}  muted\n`)
  expect((await at('settings')).out).toContain(`${ID}  muted`)
  expect((await at('unmute', ID)).out).toBe(`${ID}  not muted\n`)
  expect(JSON.parse((await at('mute', '--json')).out)).toMatchObject({ muted: true })
  expect(JSON.parse((await at('unmute', '--json')).out)).toMatchObject({ muted: false })
})

it('svc alerts test sends a test mail', async () => {
  expect(await at('test')).toMatchObject({ code: 0, out: 'a mail is being sent\n' })
  expect(api.received.at(-1)).toMatchObject({ url: '/api/alerts/test', body: '{"channel":"mail"}' })
})

it('the client lists incidents and deliveries, and changes settings', async () => {
  const { triggers } = createClient({
    baseUrl: api.url,
    triggersUrl: api.url,
    token: GOOD_TOKEN,
  })
  const { alerts } = triggers
  expect((await alerts.incidents().all()).map(({ id }) => id)).toEqual([2, 1])
  const filter = { state: 'resolved', triggerId: ID } as const
  expect((await alerts.incidents(filter).all()).map(({ id }) => id)).toEqual([1])
  expect(await alerts.deliveries().all()).toMatchObject([{ id: 1, state: 'sent' }])
  expect(await alerts.change({ signals: [] })).toMatchObject({ signals: [] })
  await alerts.changeTrigger(ID, { muted: true })
  expect((await alerts.settings()).triggers).toMatchObject([{ trigger_id: ID, muted: true }])
  await alerts.resetTrigger(ID)
  expect((await alerts.settings()).triggers).toEqual([])
  await expect(alerts.changeTrigger('../settings', {})).rejects.toMatchObject({
    code: 'malformed_id',
  })
})
