/** Checks the double of the processor against the unmodified client library of the real one. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { payAsClient } from '../../../../origin/stack/pay-as-client.ts'
import { type ProcessorDouble, startProcessor } from '../../../doubles/processor/server.ts'
import { startWebServer } from '../../../doubles/web-server.ts'

let double: ProcessorDouble
beforeEach(async () => {
  double = await startProcessor()
})
afterEach(() => double.close())

const library = (key = double.keys.secret, maxNetworkRetries = 0) => {
  const { hostname: host, port } = new URL(double.url)
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries, telemetry: false })
}
const newIntent = (amount = 500) =>
  library().paymentIntents.create({
    amount,
    currency: 'usd',
    automatic_payment_methods: { enabled: true },
    metadata: { svc_account: 'a' },
  })
const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: InstanceType<typeof Stripe.errors.StripeError>) => error,
  )

describe('intents', () => {
  it('start unpaid, with a client secret and the metadata of the seller', async () => {
    const customer = await library().customers.create({ metadata: { svc_account: 'a' } })
    expect((await library().customers.retrieve(customer.id)).id).toBe(customer.id)
    expect((await library().customers.list()).data.map(({ id }) => id)).toEqual([customer.id])
    const intent = await newIntent()
    expect(intent).toMatchObject({
      object: 'payment_intent',
      amount: 500,
      amount_received: 0,
      status: 'requires_payment_method',
      livemode: false,
      metadata: { svc_account: 'a' },
      automatic_payment_methods: { enabled: true },
      client_secret: expect.stringContaining(`${intent.id}_secret`),
    })
  })

  it('are paid by card, and return their charge on request', async () => {
    const { id } = await newIntent()
    double.paying.enterCard(id)
    double.paying.byCardThatAsks(id)
    expect((await library().paymentIntents.retrieve(id)).status).toBe('requires_action')
    double.paying.byCard(id)
    const intent = await library().paymentIntents.retrieve(id, { expand: ['latest_charge'] })
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 500 })
    expect(intent.latest_charge).toMatchObject({ object: 'charge', paid: true, amount: 500 })
  })

  it('are paid by crypto once it is confirmed on chain, and fail if it reverts', async () => {
    const [paid, reverted] = [await newIntent(), await newIntent()]
    for (const { id } of [paid, reverted]) double.paying.byCrypto(id)
    const statusOf = async (id: string) => (await library().paymentIntents.retrieve(id)).status
    expect(await statusOf(paid.id)).toBe('processing')
    double.paying.confirmOnChain(paid.id)
    double.paying.revertOnChain(reverted.id)
    expect(await statusOf(paid.id)).toBe('succeeded')
    expect(await statusOf(reverted.id)).toBe('requires_payment_method')
  })

  it('report why a card was declined, and can still be paid after that', async () => {
    const { id, client_secret } = await newIntent()
    await expect(double.pay(client_secret!, 'pm_card_chargeDeclined')).rejects.toThrow('declined')
    const declined = await library().paymentIntents.retrieve(id)
    expect(declined.last_payment_error).toMatchObject({ type: 'card_error', code: 'card_declined' })
    await double.pay(client_secret!)
    expect((await library().paymentIntents.retrieve(id)).status).toBe('succeeded')
  })

  it('are not paid without a return URL, which some payment methods need', async () => {
    const { id, client_secret } = await newIntent()
    const paying = { client_secret: client_secret!, payment_method: 'pm_card_visa' }
    const client = library(double.keys.publishable)
    const refused = await failureOf(client.paymentIntents.confirm(id, paying))
    expect(refused).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError' })
    await client.paymentIntents.confirm(id, { ...paying, return_url: 'https://example.com/' })
  })

  it('can be canceled unless they are paid', async () => {
    const [open, paid] = [await newIntent(), await newIntent()]
    double.paying.byCard(paid.id)
    expect((await library().paymentIntents.cancel(open.id)).status).toBe('canceled')
    const refused = await failureOf(library().paymentIntents.cancel(paid.id))
    expect(refused).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' })
    expect(() => double.paying.byCard(open.id)).toThrow('status of canceled')
  })
})

describe('refunds and disputes', () => {
  it('are listed by intent, newest first, over any number of pages', async () => {
    const { id } = await newIntent(1_000)
    double.paying.byCard(id)
    for (let n = 1; n <= 5; n++) double.givingBack.refund(id, { amount: n * 10 })
    const asked = library().refunds.list({ payment_intent: id, limit: 2 })
    const all = await asked.autoPagingToArray({ limit: 100 })
    expect(all.map(({ amount }) => amount)).toEqual([50, 40, 30, 20, 10])
    expect(() => double.givingBack.refund(id, { amount: 851 })).toThrow('greater than what is left')
  })

  it('restore the refundable amount if a refund fails', async () => {
    const { id } = await newIntent()
    double.paying.byCard(id)
    const refund = double.givingBack.refund(id, { status: 'pending' })
    double.givingBack.failRefund(refund.id)
    expect((await library().refunds.retrieve(refund.id)).status).toBe('failed')
    expect(double.givingBack.refund(id).amount).toBe(500)
  })

  it('withdraw money for a dispute but not for an inquiry, and reinstate it if the dispute is won', async () => {
    const { id } = await newIntent()
    double.paying.byCard(id)
    const { id: disputeId } = double.givingBack.dispute(id, { inquiry: true })
    const moves = async () => {
      const { data } = await library().disputes.list({ payment_intent: id })
      return data[0]!.balance_transactions.map(({ amount }) => amount)
    }
    expect(await moves()).toEqual([])
    double.givingBack.escalate(disputeId)
    expect(await moves()).toEqual([-500])
    double.givingBack.answerDispute(disputeId)
    double.givingBack.win(disputeId)
    expect(await moves()).toEqual([-500, 500])
    expect(() => double.givingBack.lose(disputeId)).toThrow('status of won')
  })
})

describe('requests', () => {
  it('under one idempotency key are executed once', async () => {
    const create = (amount: number, key: string) =>
      library().paymentIntents.create({ amount, currency: 'usd' }, { idempotencyKey: key })
    const first = await create(500, 'k')
    const again = await create(500, 'k')
    expect(again.id).toBe(first.id)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    const other = await failureOf(create(600, 'k'))
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    expect((await create(500, 'l')).id).not.toBe(first.id)
  })

  it('under the key of a request in flight are rejected with 409, which the library retries', async () => {
    double.faults.add({ kind: 'slow', ms: 300 })
    const create = () =>
      library(undefined, 3).paymentIntents.create(
        { amount: 500, currency: 'usd' },
        { idempotencyKey: 'k' },
      )
    const [one, two] = await Promise.all([create(), create()])
    expect(one.id).toBe(two.id)
    expect(double.records.intents.size).toBe(1)
    expect(double.seen.length).toBeGreaterThan(2)
  })

  it.each([
    ['fails_after', { kind: 'fails_after' }],
    ['reset_after', { kind: 'reset_after' }],
    ['fails_before', { kind: 'fails_before', status: 503 }],
    ['reset_before', { kind: 'reset_before' }],
  ] as const)('that meet %s are retried by the library, with one effect', async (_name, fault) => {
    double.faults.add(fault)
    const { id } = await library(undefined, 1).paymentIntents.create({
      amount: 500,
      currency: 'usd',
    })
    expect([...double.records.intents.keys()]).toEqual([id])
  })

  it('under the key of a stored failure get that failure again, as from the real processor', async () => {
    double.faults.add({ kind: 'fails_before', kept: true })
    const create = () =>
      library().paymentIntents.create({ amount: 500, currency: 'usd' }, { idempotencyKey: 'k' })
    expect(await failureOf(create())).toBeInstanceOf(Stripe.errors.StripeAPIError)
    const again = await failureOf(create())
    expect(again?.headers?.['idempotent-replayed']).toBe('true')
  })

  it('get 401 with a wrong key, and the documented errors for missing objects and wrong parameters', async () => {
    const forged = await failureOf(library('sk_test_forged').customers.list())
    expect(forged).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
    const missing = await failureOf(library().paymentIntents.retrieve('pi_none'))
    expect(missing).toMatchObject({ statusCode: 404, code: 'resource_missing' })
    const unknown = { amount: 500, currency: 'usd', amuont: 1 } as {
      amount: number
      currency: string
    }
    const misspelt = await failureOf(library().paymentIntents.create(unknown))
    expect(misspelt).toMatchObject({ code: 'parameter_unknown', param: 'amuont' })
    const small = await failureOf(newIntent(49))
    expect(small).toMatchObject({ code: 'amount_too_small', requestId: expect.any(String) })
  })

  it('read and pay only the intent of their client secret with the publishable key', async () => {
    const { id, client_secret } = await newIntent()
    const client = library(double.keys.publishable)
    const retrieve = (secret: string) =>
      client.paymentIntents.retrieve(id, { client_secret: secret })
    expect((await retrieve(client_secret!)).metadata).toBeUndefined()
    expect(await failureOf(retrieve(`${id}_secret_guessed`))).toMatchObject({ statusCode: 404 })
    expect(await failureOf(client.customers.list())).toMatchObject({ statusCode: 403 })
    expect(await failureOf(client.paymentIntents.cancel(id))).toMatchObject({ statusCode: 403 })
  })
})

describe('webhooks', () => {
  async function listening(statuses: number[]) {
    const server = await startWebServer((_request, response) => {
      response.writeHead(statuses.shift() ?? 200).end()
    })
    double.webhooks.sendTo(`http://127.0.0.1:${server.port}/hook`, double.webhookSecret)
    return server
  }

  it('are signed as the library expects, and sent again until they are accepted', async () => {
    const server = await listening([503, 500])
    const { id } = await newIntent()
    double.paying.decline(id)
    await double.webhooks.settled()
    const bodies = server.received.map(({ body, headers }) => {
      const sent = headers['stripe-signature'] as string
      return Stripe.webhooks.constructEvent(body, sent, double.webhookSecret)
    })
    expect(bodies.map(({ type }) => type).toSorted()).toEqual([
      'charge.failed',
      'charge.failed',
      'payment_intent.payment_failed',
      'payment_intent.payment_failed',
    ])
    expect(new Set(bodies.map((event) => event.id)).size).toBe(2)
    await server.close()
  })

  it('can be held, reordered, duplicated and dropped', async () => {
    const server = await listening([])
    const { id } = await newIntent()
    double.webhooks.mode = 'hold'
    double.paying.byCrypto(id)
    double.webhooks.mode = 'drop'
    double.paying.revertOnChain(id)
    double.webhooks.mode = 'hold'
    double.paying.byCard(id)
    await double.webhooks.settled()
    expect(server.received).toHaveLength(0)
    double.webhooks.copies = 2
    double.webhooks.release((events) => events.toReversed())
    await double.webhooks.settled()
    const types = server.received.map(({ body }): string => JSON.parse(body).type)
    expect(types.toSorted()).toEqual([
      'charge.succeeded',
      'charge.succeeded',
      'payment_intent.processing',
      'payment_intent.processing',
      'payment_intent.succeeded',
      'payment_intent.succeeded',
    ])
    await server.close()
  })
})

it('runs as a separate process if it is started by its path', async () => {
  const path = fileURLToPath(new URL('../../../doubles/processor/main.ts', import.meta.url))
  const child = fork(path, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const [{ ready }] = (await once(child, 'message')) as [
    { ready: Pick<ProcessorDouble, 'url' | 'keys'> },
  ]
  const { hostname: host, port } = new URL(ready.url)
  const remote = new Stripe(ready.keys.secret, { host, port, protocol: 'http' })
  const intent = await remote.paymentIntents.create({ amount: 500, currency: 'usd' })
  const publishableKey = ready.keys.publishable
  const clientSecret = intent.client_secret!
  await payAsClient({ url: ready.url, publishableKey, clientSecret })
  const control = await fetch(`${ready.url}/test/refund`, {
    method: 'POST',
    body: JSON.stringify({ id: intent.id, amount: 100 }),
  })
  expect(await control.json()).toMatchObject({ object: 'refund', amount: 100 })
  child.disconnect()
  await once(child, 'exit')
})
