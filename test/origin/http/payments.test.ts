import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { PROCESSOR_EVENT_MAX_BYTES } from '../../../shared/limits.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { API_VERSION } from '../../doubles/processor/objects.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import { signature } from '../../doubles/processor/webhooks.ts'
import { booksOf } from '../credits/process.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { walletAuth } from './signed-request.ts'

let origin: TestOrigin
let double: ProcessorDouble
let server: ReturnType<typeof serve>
beforeAll(async () => {
  double = await startProcessor()
  origin = await startOrigin(double)
  const address = await new Promise<AddressInfo>((listening) => {
    server = serve({ fetch: origin.app.fetch, hostname: '127.0.0.1', port: 0 }, listening)
  })
  const url = `http://127.0.0.1:${address.port}${PROCESSOR_WEBHOOK_PATH}`
  double.webhooks.sendTo(url, double.webhookSecret)
})
afterEach(async () => {
  double.faults.clear()
  await double.webhooks.settled()
  Object.assign(double.webhooks, { mode: 'send', copies: 1 })
})
afterAll(async () => {
  await double.close()
  server.close()
  await origin.close()
})

const create = (key: string, body: object = { amount_cents: 500 }, headers = {}) =>
  origin.core('billing/create_payment_intent', { key, body, headers })
const confirm = (key: string, payment_intent_id: string) =>
  origin.core('billing/confirm_payment', { key, body: { payment_intent_id } })
const balanceOf = async (key: string) => (await origin.core('billing/balance', { key })).body
/** Creates a payment whose events are not sent. */
async function quietly(key: string, cents = 500): Promise<string> {
  double.webhooks.mode = 'drop'
  const { payment_intent_id } = (await create(key, { amount_cents: cents })).body
  return payment_intent_id
}

describe('billing/processor_config', () => {
  it('shows the publishable key to anyone, and nothing secret', async () => {
    const { status, body } = await origin.core('billing/processor_config', {})
    expect([status, body]).toEqual([200, { publishable_key: double.keys.publishable }])
  })
})

describe('billing/create_payment_intent', () => {
  it('returns the client secret and the ID of an intent, free of charge', async () => {
    const key = await origin.poor(1)
    const { status, body } = await create(key)
    expect(status).toBe(200)
    const { client_secret, id } = double.records.intent(body.payment_intent_id)
    expect(body).toEqual({ client_secret, payment_intent_id: id })
    expect((await balanceOf(key)).balance_cents).toBe(1)
  })

  it.each([
    [499, 400],
    [500, 200],
    [1_000_000, 200],
    [1_000_001, 400],
    [500.5, 400],
    [-500, 400],
    ['500', 422],
    [null, 422],
    [undefined, 422],
  ])('for %j returns %i', async (amount_cents, status) => {
    const key = await origin.account()
    expect((await create(key, { amount_cents })).status).toBe(status)
  })

  it('can be called by an account without credit, and by its usage keys', async () => {
    const key = await origin.poor(2)
    const usage = await origin.usageKey(key, {})
    expect((await create(await origin.poor(0))).status).toBe(200)
    expect((await create(usage)).status).toBe(200)
  })

  it('attack: a usage key that creates payments until it is rejected does not block the account key', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {})
    for (let n = 0; n < 10; n++) expect((await create(usage)).status).toBe(200)
    const refused = await create(usage)
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'Too many payments: this key has 10 unpaid payments from the last hour.',
    ])
    expect((await create(key)).status).toBe(200)
  })

  it('attack: the key from before a conversion does not block payments by the admin wallet', async () => {
    const key = await origin.account()
    const admin = await makeChainSecured(origin, key)
    for (let n = 0; n < 10; n++) expect((await create(key)).status).toBe(200)
    expect((await create(key)).status).toBe(429)
    const headers = await walletAuth(admin, origin)
    const body = { amount_cents: 500 }
    const answer = await origin.core('billing/create_payment_intent', { body, headers })
    expect(answer.status).toBe(200)
  })

  it('returns the same intent under an Idempotency-Key, even after a failure of the processor', async () => {
    const key = await origin.account()
    const headers = { 'idempotency-key': 'pay' }
    double.faults.add({ kind: 'fails_after', kept: true, on: /payment_intents/ })
    double.faults.add({ kind: 'fails_before', times: 3, on: /payment_intents/ })
    expect((await create(key, { amount_cents: 600 }, headers)).status).toBe(503)
    double.faults.clear()
    const first = await create(key, { amount_cents: 600 }, headers)
    const again = await create(key, { amount_cents: 600 }, headers)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect((await create(key, { amount_cents: 700 }, headers)).status).toBe(422)
  })

  it('returns 503 with a retry time, never 402, if the processor is unavailable', async () => {
    const key = await origin.poor(0)
    double.faults.add({ kind: 'reset_before', times: 100 })
    const { status, headers, body } = await create(key)
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(headers.get('retry-after')).toBe('2')
  })
})

describe('billing/confirm_payment', () => {
  it('credits a settled payment, and returns the same for a repeat', async () => {
    const key = await origin.poor(25)
    const id = await quietly(key)
    double.paying.byCard(id)
    const first = await confirm(key, id)
    const answer = { success: true, balance_cents: 525, balance_display: '$5.25' }
    expect([first.status, first.body]).toEqual([200, answer])
    expect((await confirm(key, id)).body).toEqual(answer)
    const { entries } = (await origin.core('audit_log', { key })).body
    const paid = { payment_intent_id: id }
    expect(entries.slice(0, 2)).toMatchObject([
      {
        operation: 'billing/payment',
        actor: { kind: 'payment_processor', id: null },
        subject: paid,
        details: { cents: 500 },
      },
      {
        operation: 'billing/create_payment_intent',
        actor: { kind: 'account_key' },
        subject: paid,
        details: { amount_cents: 500 },
      },
    ])
    expect(entries).toHaveLength(3)
  })

  it('returns 409 payment_pending for a payment that is not made or is processing', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    expect((await confirm(key, id)).body.error).toBe('payment_pending')
    double.paying.byCrypto(id)
    const { status, body } = await confirm(key, id)
    expect([status, body.error]).toEqual([409, 'payment_pending'])
    double.paying.confirmOnChain(id)
    expect((await confirm(key, id)).status).toBe(200)
  })

  it('returns 409 payment_failed and the reason for a failed payment', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    double.paying.decline(id)
    const { status, body } = await confirm(key, id)
    expect([status, body.error]).toEqual([409, 'payment_failed'])
    expect(body.message).toBe('The payment has failed: Your card was declined.')
    double.paying.cancel(id)
    expect((await confirm(key, id)).body.fix).toContain('Start another one')
    expect((await balanceOf(key)).balance_cents).toBe(0)
  })

  it('stolen credit: returns the same 404 for another account’s payment as for an unknown one', async () => {
    const [key, thief] = [await origin.poor(0), await origin.poor(0)]
    const id = await quietly(key)
    double.paying.byCard(id)
    const foreign = await confirm(thief, id)
    const unknown = await confirm(thief, `pi_${randomBytes(12).toString('hex')}`)
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.body).toEqual(unknown.body)
    expect((await balanceOf(thief)).balance_cents).toBe(0)
  })

  it('returns 503 if the processor is unavailable, and does not lose the payment', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    double.paying.byCard(id)
    double.faults.add({ kind: 'reset_before', times: 100 })
    expect((await confirm(key, id)).status).toBe(503)
    double.faults.clear()
    expect((await confirm(key, id)).status).toBe(200)
  })
})

describe('the balance', () => {
  it('shows the debt after a refund of spent credit, and operations are 402 until it is paid', async () => {
    const key = await origin.poor(0)
    const { payment_intent_id: id } = (await create(key)).body
    double.paying.byCard(id)
    await double.webhooks.settled()
    for (let n = 0; n < 3; n++)
      expect((await origin.core('add_group', { key, body: { group_name: `g${n}` } })).status).toBe(
        200,
      )
    double.givingBack.refund(id)
    await double.webhooks.settled()
    await expect.poll(() => balanceOf(key)).toMatchObject({ balance_cents: 0, debt_cents: 3 })
    const refused = await origin.core('create_wallet', { key, method: 'POST' })
    expect([refused.status, refused.body.error]).toEqual([402, 'payment_required'])
    expect(refused.body.message).toBe(
      'This costs $0.01 and the balance is $0.00. The account owes $0.03, which the next payment covers first.',
    )
    const next = (await create(key)).body.payment_intent_id
    double.paying.byCard(next)
    await double.webhooks.settled()
    expect(await balanceOf(key)).toMatchObject({ balance_cents: 497, debt_cents: 0 })
  })
})

describe('the processor’s webhook', () => {
  type Sent = { secret?: string; seconds?: number; header?: string | null; text?: string }
  const post = async (event: object, sent: Sent = {}) => {
    const { secret = double.webhookSecret, seconds = Math.floor(Date.now() / 1000) } = sent
    const text = sent.text ?? JSON.stringify(event)
    const header = sent.header === undefined ? signature(text, secret, seconds) : sent.header
    return origin.call(PROCESSOR_WEBHOOK_PATH, {
      text,
      headers: header === null ? {} : { 'stripe-signature': header },
    })
  }
  const event = (type: string, object: object, more: object = {}) => ({
    id: `evt_${randomBytes(8).toString('hex')}`,
    object: 'event',
    api_version: API_VERSION,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    type,
    data: { object },
    ...more,
  })
  const about = (id: string) => event('payment_intent.succeeded', { id, object: 'payment_intent' })
  /** An account with a settled payment that no event has reported yet. */
  async function settled(): Promise<{ key: string; id: string }> {
    const key = await origin.poor(0)
    const id = await quietly(key)
    double.paying.byCard(id)
    return { key, id }
  }
  const cents = async (key: string) => (await balanceOf(key)).balance_cents

  it('credits a payment that its client never confirms', async () => {
    const key = await origin.poor(0)
    const { payment_intent_id: id } = (await create(key)).body
    double.paying.byCrypto(id)
    double.paying.confirmOnChain(id)
    await double.webhooks.settled()
    expect(await cents(key)).toBe(500)
  })

  it('double credit: credits once for duplicated events in reverse order, with concurrent confirmations', async () => {
    const key = await origin.poor(0)
    double.webhooks.mode = 'hold'
    double.webhooks.copies = 3
    const { payment_intent_id: id } = (await create(key)).body
    double.paying.byCrypto(id)
    double.paying.confirmOnChain(id)
    const refund = double.givingBack.refund(id, { amount: 200, status: 'pending' })
    double.givingBack.failRefund(refund.id)
    double.webhooks.release((events) => events.toReversed())
    await Promise.all([confirm(key, id), confirm(key, id), double.webhooks.settled()])
    expect(await cents(key)).toBe(500)
    const { transfers } = await booksOf(origin.database.db, origin.hashOf(key))
    expect(transfers.filter(({ kind }) => kind === 'payment')).toHaveLength(1)
  })

  it('returns 503 if the processor is unavailable, and accepts the event when it is sent again', async () => {
    const { key, id } = await settled()
    double.faults.add({ kind: 'fails_before', times: 3, on: /GET/ })
    const away = await post(about(id))
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2'])
    double.faults.clear()
    expect((await post(about(id))).status).toBe(200)
    expect(await cents(key)).toBe(500)
  })

  it('applies refunds and disputes by the payment that they name', async () => {
    const { key, id } = await settled()
    const { id: refundId } = double.givingBack.refund(id, { amount: 100 })
    const refund = { id: refundId, object: 'refund', payment_intent: id }
    expect((await post(event('refund.created', refund))).status).toBe(200)
    expect(await cents(key)).toBe(400)
  })

  it.each([
    ['an unknown kind', event('customer.created', { id: 'cus_1', object: 'customer' })],
    ['an intent of somebody else', about('pi_elsewhere')],
    [
      'a refund of no payment',
      event('refund.created', { id: 're_1', object: 'refund', payment_intent: null }),
    ],
  ])('returns 200 for %s, and does nothing', async (_what, sent) => {
    expect((await post(sent)).status).toBe(200)
  })

  it.each([
    ['no signature', { header: null }, 'has no signature'],
    ['another secret', { secret: 'whsec_forgedforged' }, 'is invalid'],
    ['a signature of something else', { header: 't=1,v1=00,v0=11' }, 'is invalid'],
    ['a malformed signature', { header: 'hello' }, 'is invalid'],
    ['half a signature', { header: 't=1,v1' }, 'not a valid event'],
  ])('forged signature: %s is 400 and credits nothing', async (_what, sent, told) => {
    const { key, id } = await settled()
    const { status, body } = await post(about(id), sent)
    expect(status).toBe(400)
    expect(body.message).toContain(told)
    expect(await cents(key)).toBe(0)
  })

  it('changed body: a signature is valid for its own bytes only', async () => {
    const { key, id } = await settled()
    const other = JSON.stringify(about('pi_other'))
    const header = signature(other, double.webhookSecret, Math.floor(Date.now() / 1000))
    expect((await post(about(id), { header })).status).toBe(400)
    expect(await cents(key)).toBe(0)
  })

  it('replayed event: an event signed over five minutes ago is 400', async () => {
    const { id } = await settled()
    const seconds = Math.floor(Date.now() / 1000) - 301
    const { status, body } = await post(about(id), { seconds })
    expect([status, body.message]).toEqual([400, 'The event was signed too long ago.'])
    expect((await post(about(id), { seconds: seconds + 60 })).status).toBe(200)
  })

  it('another mode: an event of the live mode is accepted and ignored', async () => {
    const { key, id } = await settled()
    expect((await post({ ...about(id), livemode: true })).status).toBe(200)
    expect(await cents(key)).toBe(0)
  })

  it('false claim: an event that reports an open intent as paid credits nothing', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    const claimed = { ...double.records.intent(id), status: 'succeeded', amount_received: 999_999 }
    expect((await post(event('payment_intent.succeeded', claimed))).status).toBe(200)
    expect(await cents(key)).toBe(0)
  })

  it('another account’s metadata: the owner in an event is ignored', async () => {
    const { key, id } = await settled()
    const thief = await origin.poor(0)
    const claimed = {
      ...double.records.intent(id),
      metadata: { ...double.records.intent(id).metadata, svc_account: origin.hashOf(thief) },
    }
    expect((await post(event('payment_intent.succeeded', claimed))).status).toBe(200)
    expect([await cents(key), await cents(thief)]).toEqual([500, 0])
  })

  it('huge body: more than 1 MiB is 413, with or without a declared length', async () => {
    const text = 'x'.repeat(PROCESSOR_EVENT_MAX_BYTES + 1)
    expect((await post({}, { text })).status).toBe(413)
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
    })
    const chunked = { method: 'POST', body, duplex: 'half' } as RequestInit
    expect((await origin.app.request(PROCESSOR_WEBHOOK_PATH, chunked)).status).toBe(413)
  })

  it('path injection: an ID that contains a path is not queried', async () => {
    const before = double.seen.length
    expect((await post(about('pi_1/../../customers'))).status).toBe(200)
    expect(double.seen).toHaveLength(before)
  })

  it('accepts either of two secrets while one replaces the other', async () => {
    const { services } = origin
    const webhookSecrets = ['whsec_newsecret', double.webhookSecret]
    const { payments, config } = services.processor!
    const processor = { payments, config: { ...config, webhookSecrets } }
    const app = createOriginApp({ ...services, processor })
    for (const secret of webhookSecrets) {
      const { key, id } = await settled()
      const text = JSON.stringify(about(id))
      const headers = { 'stripe-signature': signature(text, secret, Math.floor(Date.now() / 1000)) }
      expect((await origin.call(PROCESSOR_WEBHOOK_PATH, { text, headers, app })).status).toBe(200)
      expect(await cents(key)).toBe(500)
    }
  })

  it('returns 400 for a body that is not an event, signed or not', async () => {
    for (const text of ['', 'null', '[]', '{"object":"event"}', '{'])
      expect([text, (await post({}, { text })).status]).toEqual([text, 400])
  })
})

it('leaked secret: no keys, secrets or events are in the log', () => {
  const written = JSON.stringify(origin.logs)
  for (const secret of [double.keys.secret, double.webhookSecret, '_secret_', 'whsec_', 'evt_'])
    expect(written).not.toContain(secret)
})
