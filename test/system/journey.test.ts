import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fundedWallets } from '../../origin/stack/funded-wallets.ts'
import { journey } from '../../origin/stack/journey.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
let processor: ProcessorDouble
beforeAll(async () => {
  processor = await startProcessor()
  started = await startStack({ originSettings: processor.settings })
  const url = started.triggersUrl + PROCESSOR_WEBHOOK_PATH
  processor.webhooks.sendTo(url, processor.webhookSecret)
})
afterAll(async () => {
  await started.stop()
  await processor.close()
})

it('a webhook and a transfer of a token become signatures that recover to the wallet, over HTTP alone', async () => {
  const steps = new Map<string, string>()
  const pay = ({ clientSecret }: { clientSecret: string }) => processor.pay(clientSecret)
  const { wallet, close } = fundedWallets(started.stack.chainUrl)
  const onStep = (step: string, result: string) => void steps.set(step, result)
  await journey({ ...started, pay, wallet, onStep }).finally(close)
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, shown = ''] = /^the stack is ready .*?\n(.*?)\n\n/ms.exec(readme) ?? []
  const shownSteps = shown.split('\n').map((line) => line.split(/ {2,}/)[0])
  expect([...steps.keys()]).toEqual(shownSteps)
  expect(steps.get('the run of the transfer ends')).toMatch(
    /^the action signed "0x[0-9A-Fa-f]{40} received 1500"$/,
  )
  expect(steps.get('pay $5.00 by card')).toBe('the balance was $5.00, and is $10.00')
  expect(steps.get('billing/balance')).toBe('$9.96 after the run, $9.97 before it')
})

it('the processor’s events arrive through the edge as they were signed', async () => {
  await processor.webhooks.settled()
  const statuses = processor.webhooks.answers.map(({ status }) => status)
  expect(statuses.length).toBeGreaterThan(0)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('no key of the journey is in what the components wrote', () => {
  const written = started.lines.join('\n')
  expect(written).toContain('run.started')
  // API keys are 44 characters of base64, private keys 64 of hex.
  expect(written).not.toMatch(/[A-Za-z0-9+/]{43}=/)
  expect(written).not.toMatch(/\b(0x)?[0-9a-f]{64}\b/)
  expect(written).not.toMatch(/\b(sk|rk)_|whsec_|_secret_/)
})

it('an account of a local stack begins with $5.00', async () => {
  const core = async (path: string, init: RequestInit): Promise<any> =>
    (await fetch(`${started.baseUrl}/core/v1/${path}`, init)).json()
  const body = JSON.stringify({ account_name: 'a', account_description: '' })
  const headers = { 'content-type': 'application/json' }
  const { api_key } = await core('new_account', { method: 'POST', headers, body })
  const balance = await core('billing/balance', { headers: { 'x-api-key': api_key } })
  expect(balance).toMatchObject({ balance_cents: 500, balance_display: '$5.00' })
})
