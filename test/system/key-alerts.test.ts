/** Alerts about usage keys, with the real origin: the edge reads the state of a key that it cannot decrypt. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS } from '../../shared/durations.ts'
import type { IncidentRecord } from '../../shared/wire/alert.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { type ProcessorDouble, startProcessor } from '../doubles/processor/server.ts'
import { newOwner, type Owner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let processor: ProcessorDouble
let stack: StartedStack
let owner: Owner
beforeAll(async () => {
  processor = await startProcessor()
  stack = await startStack({ originSettings: processor.settings })
  processor.webhooks.sendTo(stack.baseUrl + PROCESSOR_WEBHOOK_PATH, processor.webhookSecret)
  owner = await newOwner(stack)
})
afterAll(async () => {
  await stack.stop()
  await processor.close()
})

const ACTION = 'async function main() {}'
const incidents = async (): Promise<IncidentRecord[]> =>
  (await owner.api('alerts/incidents')).incidents

it('a usage key that expires soon opens an incident, which a lower threshold resolves', async () => {
  const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString()
  const { usage_api_key } = await owner.core('add_usage_api_key', { name: 'soon', expires_at })
  await owner.createTrigger(ACTION)
  const { id } = await owner.createTrigger(ACTION, { usage_api_key })
  await owner.api('alerts/settings', { signals: ['key_expiring'] }, 'PATCH')
  const [incident, ...others] = await until(30, 'an incident opens', async () => {
    const opened = await incidents()
    return opened.length > 0 ? opened : undefined
  })
  expect(others).toEqual([])
  expect(incident).toMatchObject({
    trigger_id: id,
    signal: 'key_expiring',
    state: 'open',
    code: expires_at,
  })
  await owner.api('alerts/settings', { thresholds: { expiry_days: 2 } }, 'PATCH')
  expect(await incidents()).toMatchObject([{ id: incident!.id, state: 'resolved' }])
})

it('an account with little credit opens an incident', async () => {
  const change = { signals: ['credit_low'], thresholds: { credit_cents: 1_000_000 } }
  await owner.api('alerts/settings', change, 'PATCH')
  const found = await until(30, 'an incident opens', async () =>
    (await incidents()).find(({ signal }) => signal === 'credit_low'),
  )
  expect(found).toMatchObject({ state: 'open', code: expect.stringMatching(/^\$\d+\.\d\d$/) })
})

it('a declined payment opens an incident, as soon as the processor reports it', async () => {
  const { payment_intent_id: intentId } = await owner.core('billing/create_payment_intent', {
    amount_cents: 500,
  })
  processor.paying.decline(intentId)
  const found = await until(60, 'an incident opens', async () => {
    // Disabling the signal deletes what is known about the keys, so that they are read again.
    for (const signals of [[], ['payment_failed']])
      await owner.api('alerts/settings', { signals }, 'PATCH')
    await new Promise((resume) => setTimeout(resume, 1_000))
    return (await incidents()).find(({ signal }) => signal === 'payment_failed')
  })
  expect(found).toMatchObject({ code: 'declined', message: expect.stringContaining('declined') })
})
