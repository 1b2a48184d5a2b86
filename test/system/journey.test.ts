import { afterAll, beforeAll, expect, it } from 'vitest'
import { journey } from '../../origin/stack/journey.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
beforeAll(async () => {
  started = await startStack()
})
afterAll(() => started.stop())

it('a webhook becomes a signature that recovers to the wallet, over HTTP alone', async () => {
  const steps: string[] = []
  await journey({ ...started, onStep: (step) => steps.push(step) })
  expect(steps.at(-1)).toBe('the run ends')
})

it('no key of the journey is in what the components wrote', () => {
  const written = started.lines.join('\n')
  expect(written).toContain('run.started')
  // API keys are 44 characters of base64, private keys 64 of hex.
  expect(written).not.toMatch(/[A-Za-z0-9+/]{43}=/)
  expect(written).not.toMatch(/\b(0x)?[0-9a-f]{64}\b/)
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
