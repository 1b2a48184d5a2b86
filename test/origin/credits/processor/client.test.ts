import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  CustomerGoneError,
  ProcessorUnavailableError,
} from '../../../../origin/credits/processor/processor.ts'
import { ProcessorClient } from '../../../../origin/credits/processor/processor-client.ts'
import { type ProcessorDouble, startProcessor } from '../../../doubles/processor/server.ts'
import { newAccount } from '../process.ts'
import { clientOf, DEPLOYMENT } from './paying.ts'

let double: ProcessorDouble
beforeEach(async () => {
  double = await startProcessor()
})
afterEach(() => double.close())

const account = newAccount()
async function newIntent(amountCents = 500) {
  const { client } = clientOf(double)
  const customerId = await client.createCustomer(account)
  return client.createIntent({ accountHash: account, customerId, amountCents, writeId: 'w' })
}

describe('creating customers and intents', () => {
  it('names the account by its hash, and nothing else about its owner', async () => {
    const { intentId } = await newIntent()
    const metadata = { svc_account: account, svc_deployment: DEPLOYMENT.name }
    expect(double.records.intent(intentId)).toMatchObject({
      amount: 500,
      currency: 'usd',
      automatic_payment_methods: { enabled: true },
      metadata,
    })
    expect([...double.records.customers.values()]).toMatchObject([{ metadata }])
  })

  it('creates one intent and one customer, however often they are requested', async () => {
    const made = await Promise.all([newIntent(), newIntent(), newIntent()])
    expect(new Set(made.map(({ intentId }) => intentId)).size).toBe(1)
    expect(double.records.customers.size).toBe(1)
  })

  it.each(['fails_after', 'reset_after', 'fails_before', 'reset_before', 'other_json'] as const)(
    'creates one intent and one customer if the first request meets %s',
    async (kind) => {
      double.faults.add({ kind, on: /^POST/ })
      const { intentId } = await newIntent()
      expect([...double.records.intents.keys()]).toEqual([intentId])
      expect(double.records.customers.size).toBe(1)
    },
  )

  it('uses another key if the processor has stored a failure, and the same one from then on', async () => {
    double.faults.add({ kind: 'fails_before', kept: true, on: /payment_intents/ })
    const first = await newIntent()
    expect(await newIntent()).toEqual(first)
    expect(double.records.intents.size).toBe(1)
  })

  it('reports a deleted customer, and then creates another one', async () => {
    const { client } = clientOf(double)
    const gone = await client.createCustomer(account)
    double.records.customers.get(gone)!.deleted = true
    const of = { accountHash: account, amountCents: 500, writeId: 'w' }
    await expect(client.createIntent({ ...of, customerId: gone })).rejects.toThrow(
      CustomerGoneError,
    )
    const customerId = await client.createCustomer(account, gone)
    expect(customerId).not.toBe(gone)
    await client.createIntent({ ...of, customerId })
  })
})

describe('an account in two deployments, such as the account of an admin wallet', () => {
  it('can pay in both through one account of the processor', async () => {
    const { client } = clientOf(double)
    const { client: other } = clientOf(double, {
      deployment: { ...DEPLOYMENT, name: '31337:0xcd' },
    })
    const customerId = await client.createCustomer(account)
    expect(await other.createCustomer(account)).not.toBe(customerId)
  })
})

describe('the facts of a payment', () => {
  it('include its progress, and the processor’s reason for a failure', async () => {
    const { client } = clientOf(double)
    const { intentId, clientSecret } = await newIntent()
    const progress = async () => (await client.factsOf(intentId))?.progress
    expect(await progress()).toBe('unpaid')
    double.paying.byCardThatAsks(intentId)
    expect(await progress()).toBe('unpaid')
    double.paying.decline(intentId)
    expect(await client.factsOf(intentId)).toMatchObject({
      accountHash: account,
      progress: 'declined',
      reason: 'Your card was declined.',
      receivedCents: 0,
    })
    double.paying.byCrypto(intentId)
    expect(await progress()).toBe('processing')
    double.paying.revertOnChain(intentId)
    expect(await progress()).toBe('declined')
    await double.pay(clientSecret)
    expect(await client.factsOf(intentId)).toMatchObject({ progress: 'paid', receivedCents: 500 })
  })

  it('include every refund, over any number of pages', async () => {
    const { intentId } = await newIntent(1_000)
    double.paying.byCard(intentId)
    for (let n = 0; n < 250; n++) double.givingBack.refund(intentId, { amount: 1 })
    const facts = await clientOf(double).client.factsOf(intentId)
    expect(new Set(facts?.refunds.map(({ id }) => id)).size).toBe(250)
  })

  it('are undefined for an intent that the processor does not have', async () => {
    expect(await clientOf(double).client.factsOf('pi_unknown')).toBeUndefined()
  })

  it('play money: are undefined for a test mode intent in a live deployment', async () => {
    const { intentId } = await newIntent()
    double.paying.byCard(intentId)
    const { client } = clientOf(double, { deployment: { ...DEPLOYMENT, live: true } })
    expect(await client.factsOf(intentId)).toBeUndefined()
  })

  it('are unavailable if the response contains another intent', async () => {
    const { intentId } = await newIntent()
    const other = double.records.createIntent({
      amount: 900,
      currency: 'usd',
      customer: undefined,
      automatic: true,
      metadata: {},
    })
    double.records.intents.set(intentId, other)
    await expect(clientOf(double).client.factsOf(intentId)).rejects.toThrow(
      ProcessorUnavailableError,
    )
  })
})

describe('requests to the processor', () => {
  const tried = async (secretKey?: string) => {
    const { client, logs } = clientOf(double, secretKey === undefined ? {} : { secretKey })
    const error = await client.factsOf('pi_any').catch((thrown: unknown) => thrown)
    return { error, told: JSON.stringify(logs) + String((error as Error).stack) }
  }

  it.each(['reset_before', 'fails_before', 'other_json'] as const)(
    'fail with ProcessorUnavailable if a fault persists: %s',
    async (kind) => {
      double.faults.add({ kind, times: 10 })
      expect((await tried()).error).toBeInstanceOf(ProcessorUnavailableError)
    },
  )

  it('time out if the processor does not respond', async () => {
    double.faults.add({ kind: 'hangs', times: 10 })
    const { url, keys } = double
    const client = new ProcessorClient({
      secretKey: keys.secret,
      deployment: DEPLOYMENT,
      url,
      sleep: async () => {},
      log: () => {},
    })
    await expect(client.factsOf('pi_any')).rejects.toThrow(ProcessorUnavailableError)
  })

  it('leaked key: quote a rejected key neither in their error nor in the log', async () => {
    const key = 'sk_test_canarycanarycanary1234'
    const { error, told } = await tried(key)
    expect(error).toBeInstanceOf(ProcessorUnavailableError)
    expect(told).toContain('StripeAuthenticationError 401')
    expect(told).not.toContain('sk_test')
    expect(told).not.toContain('1234')
  })

  it('contain no telemetry and no platform of this machine', async () => {
    await newIntent()
    await newIntent()
    for (const { headers } of double.seen) {
      expect(headers['x-stripe-client-telemetry']).toBeUndefined()
      const about = JSON.parse(String(headers['x-stripe-client-user-agent']))
      expect(about.platform).toBeUndefined()
      expect(headers['stripe-version']).toBe('2026-10-28.endive')
    }
  })
})
