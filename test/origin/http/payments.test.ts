import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../origin/app.ts'
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
/** A payment whose events are not sent. */
async function quietly(key: string, cents = 500): Promise<string> {
  double.webhooks.mode = 'drop'
  const { payment_intent_id } = (await create(key, { amount_cents: cents })).body
  return payment_intent_id
}

describe('billing/processor_config', () => {
  it('shows the publishable key to anybody, and nothing secret', async () => {
    const { status, body } = await origin.core('billing/processor_config', {})
    expect([status, body]).toEqual([200, { publishable_key: double.keys.publishable }])
  })
})

describe('billing/create_payment_intent', () => {
  it('gives the client secret and the id of an intent, and costs nothing', async () => {
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
  ])('for %j is %i', async (amount_cents, status) => {
    const key = await origin.account()
    expect((await create(key, { amount_cents })).status).toBe(status)
  })

  it('can be called by an account without credit, and by its usage keys', async () => {
    const key = await origin.poor(2)
    const usage = await origin.usageKey(key, {})
    expect((await create(await origin.poor(0))).status).toBe(200)
    expect((await create(usage)).status).toBe(200)
  })

  it('attack: a usage key begins payments until it is refused, and the account key still pays', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {})
    for (let n = 0; n < 10; n++) expect((await create(usage)).status).toBe(200)
    const refused = await create(usage)
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'Too many payments: this key has begun 10 payments within an hour and paid none of them.',
    ])
    expect((await create(key)).status).toBe(200)
  })

  it('attack: the key from before a conversion begins payments, and the admin wallet still pays', async () => {
    const key = await origin.account()
    const admin = await makeChainSecured(origin, key)
    for (let n = 0; n < 10; n++) expect((await create(key)).status).toBe(200)
    expect((await create(key)).status).toBe(429)
    const headers = await walletAuth(admin, origin)
    const body = { amount_cents: 500 }
    const answer = await origin.core('billing/create_payment_intent', { body, headers })
    expect(answer.status).toBe(200)
  })

  it('under an Idempotency-Key gives the same intent again, also after a failure of the processor', async () => {
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

  it('with a processor that is away is 503, never 402, and says when to come back', async () => {
    const key = await origin.poor(0)
    double.faults.add({ kind: 'reset_before', times: 100 })
    const { status, headers, body } = await create(key)
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(headers.get('retry-after')).toBe('2')
  })
})

describe('billing/confirm_payment', () => {
  it('credits a settled payment, and a repeat is answered alike', async () => {
    const key = await origin.poor(25)
    const id = await quietly(key)
    double.paying.byCard(id)
    const first = await confirm(key, id)
    const answer = { success: true, balance_cents: 525, balance_display: '$5.25' }
    expect([first.status, first.body]).toEqual([200, answer])
    expect((await confirm(key, id)).body).toEqual(answer)
  })

  it('of a payment that is not made or on its way is 409 payment_pending', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    expect((await confirm(key, id)).body.error).toBe('payment_pending')
    double.paying.byCrypto(id)
    const { status, body } = await confirm(key, id)
    expect([status, body.error]).toEqual([409, 'payment_pending'])
    double.paying.confirmOnChain(id)
    expect((await confirm(key, id)).status).toBe(200)
  })

  it('of a payment that failed is 409 payment_failed, and says why', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    double.paying.decline(id)
    const { status, body } = await confirm(key, id)
    expect([status, body.error]).toEqual([409, 'payment_failed'])
    expect(body.message).toBe('The payment has failed: Your card was declined.')
    double.paying.cancel(id)
    expect((await confirm(key, id)).body.fix).toContain('Begin another one')
    expect((await balanceOf(key)).balance_cents).toBe(0)
  })

  it('stolen credit: of another account’s payment is 404, in the bytes of an unknown one', async () => {
    const [key, thief] = [await origin.poor(0), await origin.poor(0)]
    const id = await quietly(key)
    double.paying.byCard(id)
    const foreign = await confirm(thief, id)
    const unknown = await confirm(thief, `pi_${randomBytes(12).toString('hex')}`)
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.body).toEqual(unknown.body)
    expect((await balanceOf(thief)).balance_cents).toBe(0)
  })

  it('with a processor that is away is 503, and the payment is not lost', async () => {
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
  it('shows what is owed after a refund of spent credit; runs are 402 until it is paid', async () => {
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
      'This costs $0.01 and the balance is $0.00. The account owes $0.03, which the next payment pays first.',
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
  /** An account with a payment that has settled, of which nobody has told yet. */
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

  it('double credit: events that are doubled and come in reverse credit once, with a confirm among them', async () => {
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

  it('is sent again, and taken, when the processor or the ledger was away', async () => {
    const { key, id } = await settled()
    double.faults.add({ kind: 'fails_before', times: 3, on: /GET/ })
    const away = await post(about(id))
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2'])
    double.faults.clear()
    expect((await post(about(id))).status).toBe(200)
    expect(await cents(key)).toBe(500)
  })

  it('takes refunds and disputes by the payment that they name', async () => {
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
  ])('answers 200 to %s, and does nothing', async (_what, sent) => {
    expect((await post(sent)).status).toBe(200)
  })

  it.each([
    ['no signature', { header: null }, 'has no signature'],
    ['another secret', { secret: 'whsec_forgedforged' }, 'does not fit'],
    ['a signature of something else', { header: 't=1,v1=00,v0=11' }, 'does not fit'],
    ['a malformed signature', { header: 'hello' }, 'does not fit'],
    ['half a signature', { header: 't=1,v1' }, 'not that of an event'],
  ])('forged signature: %s is 400 and credits nothing', async (_what, sent, told) => {
    const { key, id } = await settled()
    const { status, body } = await post(about(id), sent)
    expect(status).toBe(400)
    expect(body.message).toContain(told)
    expect(await cents(key)).toBe(0)
  })

  it('changed body: a signature holds for its bytes alone', async () => {
    const { key, id } = await settled()
    const other = JSON.stringify(about('pi_other'))
    const header = signature(other, double.webhookSecret, Math.floor(Date.now() / 1000))
    expect((await post(about(id), { header })).status).toBe(400)
    expect(await cents(key)).toBe(0)
  })

  it('replayed event: one that was signed over five minutes ago is 400', async () => {
    const { id } = await settled()
    const seconds = Math.floor(Date.now() / 1000) - 301
    const { status, body } = await post(about(id), { seconds })
    expect([status, body.message]).toEqual([400, 'The event was signed too long ago.'])
    expect((await post(about(id), { seconds: seconds + 60 })).status).toBe(200)
  })

  it('another mode: an event of the live mode is taken and not looked at', async () => {
    const { key, id } = await settled()
    expect((await post({ ...about(id), livemode: true })).status).toBe(200)
    expect(await cents(key)).toBe(0)
  })

  it('false claim: an event that calls an open intent paid credits nothing', async () => {
    const key = await origin.poor(0)
    const id = await quietly(key)
    const claimed = { ...double.records.intent(id), status: 'succeeded', amount_received: 999_999 }
    expect((await post(event('payment_intent.succeeded', claimed))).status).toBe(200)
    expect(await cents(key)).toBe(0)
  })

  it('another account’s metadata: what an event says of the owner is not read', async () => {
    const { key, id } = await settled()
    const thief = await origin.poor(0)
    const claimed = {
      ...double.records.intent(id),
      metadata: { ...double.records.intent(id).metadata, svc_account: origin.hashOf(thief) },
    }
    expect((await post(event('payment_intent.succeeded', claimed))).status).toBe(200)
    expect([await cents(key), await cents(thief)]).toEqual([500, 0])
  })

  it('huge body: more than 1 MiB is 413, whether it says its length or not', async () => {
    const text = 'x'.repeat(PROCESSOR_EVENT_MAX_BYTES + 1)
    expect((await post({}, { text })).status).toBe(413)
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
    })
    const chunked = { method: 'POST', body, duplex: 'half' } as RequestInit
    expect((await origin.app.request(PROCESSOR_WEBHOOK_PATH, chunked)).status).toBe(413)
  })

  it('path injection: an id with a path in it is not asked for', async () => {
    const before = double.seen.length
    expect((await post(about('pi_1/../../customers'))).status).toBe(200)
    expect(double.seen).toHaveLength(before)
  })

  it('is signed by either of two secrets while one replaces the other', async () => {
    const { services } = origin
    const webhookSecrets = ['whsec_newsecret', double.webhookSecret]
    const { payments, config } = services.processor!
    const processor = { payments, config: { ...config, webhookSecrets } }
    const app = createApp({ ...services, processor })
    for (const secret of webhookSecrets) {
      const { key, id } = await settled()
      const text = JSON.stringify(about(id))
      const headers = { 'stripe-signature': signature(text, secret, Math.floor(Date.now() / 1000)) }
      expect((await origin.call(PROCESSOR_WEBHOOK_PATH, { text, headers, app })).status).toBe(200)
      expect(await cents(key)).toBe(500)
    }
  })

  it('with a body that is no event is 400, signed or not', async () => {
    for (const text of ['', 'null', '[]', '{"object":"event"}', '{'])
      expect([text, (await post({}, { text })).status]).toEqual([text, 400])
  })
})

it('leaked secret: nothing of keys, secrets or events is in the log', () => {
  const written = JSON.stringify(origin.logs)
  for (const secret of [double.keys.secret, double.webhookSecret, '_secret_', 'whsec_', 'evt_'])
    expect(written).not.toContain(secret)
})
