import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fundedWallets } from '../../origin/stack/funded-wallets.ts'
import { runJourney } from '../../origin/stack/journey.ts'
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

it('signs for a webhook and a token transfer over HTTP only, with signatures that recover to the wallet', async () => {
  const steps = new Map<string, string>()
  const pay = ({ clientSecret }: { clientSecret: string }) => processor.pay(clientSecret)
  const { wallet, close } = fundedWallets(started.stack.chainUrl)
  const onStep = (step: string, result: string) => void steps.set(step, result)
  await runJourney({ ...started, pay, wallet, onStep }).finally(close)
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, shown = ''] = /^the stack is ready .*?\n(.*?)\n\n/ms.exec(readme) ?? []
  const shownSteps = shown.split('\n').map((line) => line.split(/ {2,}/)[0])
  expect([...steps.keys()]).toEqual(shownSteps)
  expect(steps.get('the run of the transfer ends')).toMatch(
    /^the action signed "0x[0-9A-Fa-f]{40} received 1500" and sent them on$/,
  )
  expect(steps.get('its transaction is final')).toMatch(/^block \d+: 0x[0-9A-Fa-f]{40} has 1500$/)
  expect(steps.get('pay $5.00 by card')).toBe('balance: $5.00 before, $10.00 after')
  expect(steps.get('billing/balance')).toBe('balance: $9.97 before the run, $9.96 after')
  expect(steps.get('read its private key')).toMatch(/^refused: getPrivateKey: .* has a policy/)
  expect(steps.get('pay 0.006 ETH again')).toMatch(
    /^refused: signTransaction: Denied.* 3790000000000000 of 10000000000000000 remain/,
  )
})

it('delivers the events of the processor through the edge with valid signatures', async () => {
  await processor.webhooks.settled()
  const statuses = processor.webhooks.answers.map(({ status }) => status)
  expect(statuses.length).toBeGreaterThan(0)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('writes no keys of the journey to the component logs', () => {
  const written = started.lines.join('\n')
  expect(written).toContain('run.started')
  // API keys are 44 base64 characters, private keys 64 hex digits.
  expect(written).not.toMatch(/[A-Za-z0-9+/]{43}=/)
  expect(written).not.toMatch(/\b(0x)?[0-9a-f]{64}\b/)
  expect(written).not.toMatch(/\b(sk|rk)_|whsec_|_secret_/)
})

it('grants a new account on a local stack $5.00', async () => {
  const core = async (path: string, init: RequestInit): Promise<any> =>
    (await fetch(`${started.baseUrl}/core/v1/${path}`, init)).json()
  const body = JSON.stringify({ account_name: 'a', account_description: '' })
  const headers = { 'content-type': 'application/json' }
  const { api_key } = await core('new_account', { method: 'POST', headers, body })
  const balance = await core('billing/balance', { headers: { 'x-api-key': api_key } })
  expect(balance).toMatchObject({ balance_cents: 500, balance_display: '$5.00' })
})
