import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../shared/client/index.ts'
import { CHANNEL_SECRET } from '../../doubles/alerts-api.ts'
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

it('svc alerts set chooses signals and thresholds', async () => {
  const chosen = await at('set', '--signal', 'run_failed', '--signal', 'key_expiring')
  expect(chosen.out).toMatch(/signals +run_failed, key_expiring\n/)
  const { code, out } = await at('set', '--expiry-days', '14')
  expect(code).toBe(0)
  expect(out).toMatch(/expiry days +14\n/)
  expect(out).toMatch(/signals +run_failed, key_expiring\n/)
  expect((await at('set', '--credit-cents', '1000')).out).toMatch(/credit cents +1000\n/)
  expect((await at('set')).err).toContain('use --signal, --expiry-days or --credit-cents')
  expect((await at('set', '--expiry-days', 'soon')).err).toContain(
    '--expiry-days: expected an integer',
  )
  expect((await at('set', '--signal', 'soon')).err).toContain('--signal: expected one of')
})

it('svc alerts thresholds changes the thresholds of a trigger', async () => {
  expect((await at('thresholds', ID, '--failure-rate', '0.1')).out).toBe(
    `${ID}  not muted  failure_rate: 0.1\n`,
  )
  const change = ['thresholds', ID, '--failure-rate', 'default', '--queue-share', '1', '--json']
  expect(JSON.parse((await at(...change)).out)).toMatchObject({
    thresholds: { failure_rate: null, queue_share: 1 },
  })
  expect(JSON.parse(api.received.at(-1)!.body)).toEqual({
    thresholds: { failure_rate: null, queue_share: 1 },
  })
})

it('svc alerts test sends a test mail', async () => {
  expect(await at('test')).toMatchObject({ code: 0, out: 'a mail is being sent\n' })
  expect(api.received.at(-1)).toMatchObject({ url: '/api/alerts/test', body: '{"channel":"mail"}' })
})

it('svc alerts channel adds, lists, tests, switches and deletes channels', async () => {
  const url = 'https://hooks.example.com/svc'
  const added = await at(
    'channel',
    'add-webhook',
    url,
    '--name',
    'on-call',
    '--signal',
    'run_failed',
  )
  expect(added.out).toContain(CHANNEL_SECRET)
  expect(added.out).toContain('it is not shown again')
  const trigger = await at('channel', 'add-trigger', ID, '--trigger', 'B'.repeat(32))
  expect(trigger.out).toBe(`2  trigger  alerts  enabled  ${ID}  triggers: ${'B'.repeat(32)}\n`)
  const { out } = await at('channel', 'list')
  expect(out).toContain(`1  webhook  on-call  enabled  ${url}`)
  expect(out).not.toContain('whsec_')
  expect((await at('channel', 'disable', '1')).out).toContain('disabled (owner)')
  expect((await at('channel', 'enable', '1')).out).toContain('enabled')
  expect((await at('channel', 'rotate-secret', '1')).out).toContain(CHANNEL_SECRET)
  expect((await at('channel', 'test', '1')).out).toContain('svc alerts deliveries --channel 1')
  expect((await at('deliveries', '--channel', '1')).out).toBe(
    '2026-05-22 13:05:00Z  mail  sent  alert  1 attempt  -  -\n',
  )
  expect(api.received.at(-1)!.url).toBe('/api/alerts/deliveries?channel_id=1')
  expect((await at('channel', 'delete', '2')).out).toBe('channel 2 deleted\n')
  await at('channel', 'delete', '1')
  expect((await at('channel', 'list')).out).toBe('no channels\n')
})

it.each([
  [['channel', 'add-webhook', 'https://x.dev', '--signal', 'nothing'], 'run_failed'],
  [['channel', 'test', 'x'], 'which is a number'],
])('svc alerts %j is refused', async (words, message) => {
  const { code, err } = await at(...words)
  expect(code).toBe(2)
  expect(err).toContain(message)
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
