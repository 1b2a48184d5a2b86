import { describe, expect, inject, it, vi } from 'vitest'
import page from '../../../docs/alerts.md?raw'
import { signatureHeaders } from '../../../edge/alerts/webhook-signature.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts'
import type { AlertDelivery } from '../../../shared/wire/alert.ts'
import type {
  AlertChannelRecord,
  AlertChannelWithSecret,
} from '../../../shared/wire/alert-channel.ts'
import type { ReceivedAlert, ReceiverSettings } from '../../doubles/alert-receiver.ts'
import {
  createTrigger,
  fire,
  type Owner,
  post,
  runOnce,
  script,
  seen,
  sql,
  success,
  unknownTriggerId,
} from '../app.ts'
import {
  deliveriesOf,
  failed,
  failing,
  incidentsOf,
  inReports,
  mailsTo,
  newOwner,
  pass,
  patch,
  report,
  sent,
} from './alerts-harness.ts'

const CHANNELS = '/api/alerts/channels'

function newReceiver() {
  const url = `${inject('alertReceiver')}/${crypto.randomUUID()}`
  return {
    url: `${url}/hook`,
    received: async () => (await fetch(`${url}/received`)).json<ReceivedAlert[]>(),
    set: (settings: ReceiverSettings) =>
      fetch(`${url}/settings`, { method: 'POST', body: JSON.stringify(settings) }),
  }
}

async function add(owner: Owner, channel: object): Promise<AlertChannelWithSecret> {
  const { path, init } = post(CHANNELS, { name: 'a channel', ...channel })
  const response = await owner.api(path, init)
  expect(response.status).toBe(201)
  return response.json()
}

/** An owner with a webhook channel, whose receiver has its secret. */
async function withWebhook(over: object = {}) {
  const [owner, receiver] = [await newOwner(), newReceiver()]
  const channel = await add(owner, { type: 'webhook', url: receiver.url, ...over })
  await receiver.set({ secret: channel.secret! })
  const read = async () => {
    const { channels } = await (
      await owner.api(CHANNELS)
    ).json<{ channels: AlertChannelRecord[] }>()
    return channels.find(({ id }) => id === channel.id)!
  }
  const deliveries = async () =>
    (await deliveriesOf(owner)).filter(
      ({ channel_id, channel: type }) => channel_id === channel.id && type === 'webhook',
    )
  return { owner, receiver, channel, read, deliveries }
}

type Receiver = ReturnType<typeof newReceiver>
const arrived = (receiver: Receiver, count: number) =>
  vi.waitFor(
    async () => {
      const received = await receiver.received()
      expect(received).toHaveLength(count)
      return received
    },
    { timeout: 30_000 },
  )
const ended = (deliveries: () => Promise<AlertDelivery[]>, count: number) =>
  vi.waitFor(
    async () => {
      const all = await deliveries()
      expect(all.filter(({ state }) => state !== 'pending').length, JSON.stringify(all)).toBe(count)
      return all
    },
    { timeout: 30_000 },
  )
/** Waits until this many attempts have failed since the last success. */
const failures = (owner: Owner, count: number) =>
  vi.waitFor(
    async () =>
      expect(await inReports(owner.id, 'SELECT failures FROM alert_channels')).toEqual([
        { failures: count },
      ]),
    { timeout: 30_000 },
  )

/** Replaces the values of an event with their types. */
const shapeOf = (event: unknown): unknown =>
  JSON.parse(
    JSON.stringify(event, (_, value: unknown) =>
      typeof value === 'object' && value !== null ? value : typeof value,
    ),
  )

it('signs as the specification of Standard Webhooks shows', async () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  }
  const headers = await signatureHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

describe('a webhook', () => {
  it('receives a signed event about an incident, without text of the run', async () => {
    const { owner, receiver, deliveries, read } = await withWebhook()
    const { id } = await createTrigger(owner, { name: 'orders', action_code: failing })
    const runId = await fire(id)
    await runOnce(owner, runId)
    const [alert] = await arrived(receiver, 1)
    expect(alert).toMatchObject({
      verified: true,
      contentType: 'application/json',
      id: expect.stringMatching(/^msg_[\w-]{24}$/),
    })
    expect(alert!.body).not.toContain('phishing.example')
    expect(JSON.parse(alert!.body)).toEqual({
      type: 'incidents.opened',
      timestamp: expect.any(String),
      data: {
        incidents: [
          {
            id: 1,
            trigger_id: id,
            trigger_name: 'orders',
            subject: null,
            signal: 'run_failed',
            state: 'open',
            opened_at: expect.any(String),
            code: 'action_threw',
            first_run_id: runId,
            url: `https://edge.test/runs/${runId}`,
          },
        ],
        total: 1,
      },
    })
    const [, example] = /```json\n([^]*?)```/.exec(page)!
    expect(shapeOf(JSON.parse(alert!.body))).toEqual(shapeOf(JSON.parse(example!)))
    expect(await ended(deliveries, 1)).toMatchObject([
      { state: 'sent', status_code: 204, attempts: 1, error: null, incident_ids: [1] },
    ])
    expect((await read()).last_success_at).not.toBeNull()
  })

  it('storm: 1,000 failures in a minute, of 501 triggers, cause one delivery and one digest', async () => {
    const { owner, receiver, deliveries } = await withWebhook()
    await report(owner, 'storm', ...Array.from({ length: 500 }, failed))
    for (let n = 0; n < 500; n++) await report(owner, `trigger-${n}`, failed())
    expect(await deliveries()).toMatchObject([{ incident_ids: [1] }])
    await pass(owner.id, MINUTE_MS)
    expect((await deliveries()).map(({ incident_ids }) => incident_ids.length)).toEqual([500, 1])
    const digest = await vi.waitFor(
      async () => {
        const found = (await receiver.received()).find(({ body }) => body.includes('"total":500'))
        expect(found).toBeDefined()
        return found!
      },
      { timeout: 60_000, interval: 1_000 },
    )
    const { data } = JSON.parse(digest.body) as { data: { incidents: unknown[]; total: number } }
    expect([data.incidents.length, data.total]).toEqual([100, 500])
    for (let n = 0; n < 25; n++) {
      await report(owner, `later-${n}`, failed())
      await pass(owner.id, 2 * MINUTE_MS)
    }
    // 50 minutes after the first delivery.
    expect((await deliveries()).length).toBeLessThanOrEqual(20)
  })

  it('is retried with the same ID and a new signature until the receiver accepts the event', async () => {
    const { owner, receiver, deliveries } = await withWebhook()
    await receiver.set({ statuses: [500, 429] })
    await report(owner, 'retried', failed())
    await failures(owner, 1)
    expect(await deliveries()).toMatchObject([
      {
        state: 'pending',
        attempts: 1,
        status_code: 500,
        error: 'The receiver responded with 500.',
      },
    ])
    await pass(owner.id, MINUTE_MS)
    await failures(owner, 2)
    await pass(owner.id, MINUTE_MS)
    expect((await receiver.received()).length).toBe(2)
    await pass(owner.id, MINUTE_MS)
    const received = await arrived(receiver, 3)
    expect(new Set(received.map(({ id }) => id)).size).toBe(1)
    expect(received.every(({ verified }) => verified)).toBe(true)
    expect(await ended(deliveries, 1)).toMatchObject([{ state: 'sent', attempts: 3 }])
  })

  it('fails after twelve attempts over hours', async () => {
    const { owner, receiver, deliveries } = await withWebhook()
    await receiver.set({ statuses: Array.from({ length: 12 }, () => 503) })
    await report(owner, 'down', failed())
    for (let attempt = 1; attempt < 12; attempt++) {
      await failures(owner, attempt)
      await pass(owner.id, 4 * HOUR_MS)
    }
    expect(await ended(deliveries, 1)).toMatchObject([
      { state: 'failed', attempts: 12, status_code: 503 },
    ])
  })

  it('is disabled after days of failures, and the owner gets a mail', async () => {
    const { owner, receiver, deliveries, channel, read } = await withWebhook({
      name: 'Ops\u2028hook',
    })
    await patch(owner, '/api/alerts/settings', { channels: [] })
    await receiver.set({ statuses: Array.from({ length: 100 }, () => 500) })
    await report(owner, 'first', failed())
    for (let attempt = 1; attempt < 12; attempt++) {
      await failures(owner, attempt)
      await pass(owner.id, 4 * HOUR_MS)
    }
    await ended(deliveries, 1)
    expect(await read()).toMatchObject({ enabled: true, failing_since: expect.any(String) })
    const days = `UPDATE alert_channels SET failing_since = failing_since - ${3 * DAY_MS}`
    await report(owner, 'second', failed())
    for (let attempt = 13; attempt <= 20; attempt++) {
      await failures(owner, attempt)
      await pass(owner.id, 4 * HOUR_MS)
    }
    await failures(owner, 21)
    expect((await read()).enabled).toBe(true)
    await inReports(owner.id, days)
    await pass(owner.id, 4 * HOUR_MS)
    await failures(owner, 22)
    expect(await read()).toMatchObject({ enabled: false, disabled_reason: 'failing' })
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    expect(mail).toMatchObject({ subject: 'Alert channel disabled: Ops hook' })
    const count = (await receiver.received()).length
    await report(owner, 'third', failed())
    await pass(owner.id, 4 * HOUR_MS)
    expect(await ended(deliveries, 2)).toMatchObject([
      { state: 'failed', error: 'The channel is disabled.' },
      { state: 'failed' },
    ])
    expect(await receiver.received()).toHaveLength(count)
    const enabled = await patch(owner, `${CHANNELS}/${channel.id}`, { enabled: true })
    expect(await enabled.json()).toMatchObject({ disabled_reason: null, failing_since: null })
    await receiver.set({ statuses: [] })
    await report(owner, 'fourth', failed())
    await arrived(receiver, count + 1)
  })

  it('is disabled at once if the receiver responds with 410', async () => {
    const { owner, receiver, deliveries, read } = await withWebhook()
    await receiver.set({ statuses: [410] })
    await report(owner, 'gone', failed())
    expect(await ended(deliveries, 1)).toMatchObject([{ state: 'failed', status_code: 410 }])
    await vi.waitFor(async () =>
      expect(await read()).toMatchObject({ enabled: false, disabled_reason: 'gone' }),
    )
    await vi.waitFor(async () =>
      expect((await mailsTo(owner.email)).map(({ subject }) => subject)).toContain(
        'Alert channel disabled: a channel',
      ),
    )
  })

  it('SSRF: a redirect is not followed', async () => {
    const { owner, receiver, deliveries } = await withWebhook()
    await receiver.set({ statuses: [302] })
    await report(owner, 'redirected', failed())
    await failures(owner, 1)
    expect(await deliveries()).toMatchObject([{ status_code: 302 }])
    expect((await receiver.received()).map(({ url }) => url)).toEqual([
      new URL(receiver.url).pathname,
    ])
  })

  it('receives only alerts about its signals and triggers', async () => {
    const owner = await newOwner()
    const [one, two] = [await createTrigger(owner), await createTrigger(owner)]
    const [held, ofOne] = [newReceiver(), newReceiver()]
    await add(owner, { type: 'webhook', url: held.url, signals: ['trigger_held'] })
    const { secret } = await add(owner, {
      type: 'webhook',
      url: ofOne.url,
      trigger_ids: [one.id],
    })
    await ofOne.set({ secret: secret! })
    await report(owner, two.id, failed())
    await report(owner, one.id, failed())
    const [alert] = await arrived(ofOne, 1)
    expect(alert!.body).toContain(one.id)
    expect(alert!.body).not.toContain(two.id)
    expect(await held.received()).toEqual([])
  })

  it('receives nothing while alerts of the trigger or all alerts are muted', async () => {
    const { owner, deliveries } = await withWebhook()
    await patch(owner, '/api/alerts/settings', { muted: true })
    await report(owner, 'muted', failed())
    expect(await incidentsOf(owner)).toHaveLength(1)
    expect(await deliveries()).toEqual([])
  })

  it('test: sends a test event once, also while the channel is disabled', async () => {
    const { owner, receiver, channel, deliveries } = await withWebhook()
    await patch(owner, `${CHANNELS}/${channel.id}`, { enabled: false })
    await receiver.set({ statuses: [500] })
    const send = () => owner.api(`${CHANNELS}/${channel.id}/test`, { method: 'POST' })
    expect((await send()).status).toBe(202)
    expect(await ended(deliveries, 1)).toMatchObject([{ test: true, state: 'failed', attempts: 1 }])
    await send()
    const [, second] = await arrived(receiver, 2)
    expect(JSON.parse(second!.body)).toMatchObject({
      type: 'alert.test',
      data: { incidents: [], total: 0 },
    })
  })
})

describe('the secret', () => {
  it('stolen database: is not stored in the clear, and is shown only once', async () => {
    const { owner, channel } = await withWebhook()
    expect(channel.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const rows = JSON.stringify(await inReports(owner.id, 'SELECT * FROM alert_channels'))
    expect(rows).not.toContain(channel.secret!.slice('whsec_'.length))
    expect(await (await owner.api(CHANNELS)).text()).not.toContain('whsec_')
  })

  it('is replaced, and the old one stays valid for a day', async () => {
    const { owner, receiver, channel } = await withWebhook()
    const rotate = () => owner.api(`${CHANNELS}/${channel.id}/rotate-secret`, { method: 'POST' })
    const { secret } = await (await rotate()).json<AlertChannelWithSecret>()
    expect(secret).not.toBe(channel.secret)
    await report(owner, 'old-secret', failed())
    expect(await arrived(receiver, 1)).toMatchObject([{ verified: true, signatures: 2 }])
    await receiver.set({ secret: secret! })
    await pass(owner.id, HOUR_MS)
    await report(owner, 'new-secret', failed())
    expect(await arrived(receiver, 2)).toMatchObject([{}, { verified: true, signatures: 2 }])
    await inReports(owner.id, `UPDATE alert_channels SET rotated_at = rotated_at - ${DAY_MS}`)
    await pass(owner.id, HOUR_MS)
    await report(owner, 'only-new', failed())
    expect((await arrived(receiver, 3)).at(-1)).toMatchObject({ verified: true, signatures: 1 })
  })
})

describe('a trigger', () => {
  it('runs its action with the alert as the event, also with a source', async () => {
    const owner = await newOwner()
    const onCall = await createTrigger(owner, {
      action_code: script(success()),
      options: { source: 'github' },
      webhook_secret: 'a secret of the sender',
    })
    await add(owner, { type: 'trigger', trigger_id: onCall.id })
    const orders = await createTrigger(owner, { name: 'orders', action_code: failing })
    const runId = await fire(orders.id)
    await runOnce(owner, runId)
    const runs = await vi.waitFor(
      async () => {
        const page = await (
          await owner.api(`/api/triggers/${onCall.id}/runs`)
        ).json<{
          runs: { id: string; status: string }[]
        }>()
        expect(page.runs).toMatchObject([{ status: 'success' }])
        return page.runs
      },
      { timeout: 30_000 },
    )
    expect(await seen(runs[0]!.id)).toMatchObject([
      {
        params: {
          source: 'webhook',
          event: {
            type: 'incidents.opened',
            data: { incidents: [{ trigger_id: orders.id, first_run_id: runId }] },
          },
        },
      },
    ])
    await vi.waitFor(async () =>
      expect(
        (await deliveriesOf(owner)).find(({ channel }) => channel === 'trigger'),
      ).toMatchObject({
        state: 'sent',
        status_code: null,
      }),
    )
  })

  it('loop: a trigger that receives alerts never gets alerts about itself or another receiver', async () => {
    const owner = await newOwner()
    const [first, second] = [
      await createTrigger(owner, { action_code: failing }),
      await createTrigger(owner, { action_code: failing }),
    ]
    await add(owner, { type: 'trigger', trigger_id: first.id })
    await add(owner, { type: 'trigger', trigger_id: second.id })
    await report(owner, 'a trigger', failed())
    const runsOf = async ({ id }: { id: string }) => (await sql(id, 'SELECT * FROM runs')).length
    // Both receivers fail, and each opens an incident.
    await vi.waitFor(async () => expect(await incidentsOf(owner)).toHaveLength(3), {
      timeout: 30_000,
    })
    for (let n = 0; n < 3; n++) await pass(owner.id, 4 * MINUTE_MS)
    expect([await runsOf(first), await runsOf(second)]).toEqual([1, 1])
    const toTriggers = (await deliveriesOf(owner)).filter(({ channel }) => channel === 'trigger')
    expect(toTriggers).toHaveLength(2)
    await sent(owner, 2)
  })

  it('is fired once per alert, even if the delivery is repeated', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner)
    await add(owner, { type: 'trigger', trigger_id: id })
    await report(owner, 'repeated', failed())
    const delivery = () =>
      inReports(owner.id, `SELECT * FROM alert_deliveries WHERE channel = 'trigger'`)
    await vi.waitFor(async () => expect(await delivery()).toMatchObject([{ state: 'sent' }]))
    await inReports(
      owner.id,
      `UPDATE alert_deliveries SET state = 'pending', ended_at = NULL WHERE channel = 'trigger'`,
    )
    await pass(owner.id, MINUTE_MS)
    await vi.waitFor(async () =>
      expect(await delivery()).toMatchObject([{ state: 'sent', attempts: 2 }]),
    )
    expect(await sql(id, 'SELECT * FROM runs')).toHaveLength(1)
  })

  it('its channel is deleted with it, and retried while it is disabled', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner)
    await add(owner, { type: 'trigger', trigger_id: id })
    await patch(owner, `/api/triggers/${id}`, { enabled: false })
    await report(owner, 'while-disabled', failed())
    const deliveries = async () =>
      (await deliveriesOf(owner)).filter(({ channel }) => channel === 'trigger')
    await failures(owner, 1)
    expect(await deliveries()).toMatchObject([
      { state: 'pending', attempts: 1, error: 'The trigger is disabled.' },
    ])
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await vi.waitFor(async () =>
      expect(await (await owner.api(CHANNELS)).json()).toEqual({ channels: [] }),
    )
  })
})

describe('a channel is refused', () => {
  const refusals: [string, object, RegExp][] = [
    ['http', { url: 'http://hooks.svc.dev/x' }, /^url: expected https\.$/],
    ['text', { url: 'no' }, /^url: expected a URL\.$/],
    [
      'a password',
      { url: 'https://a:b@hooks.svc.dev' },
      /^url: contains a user name or password\.$/,
    ],
    ['this service', { url: 'https://edge.test/webhook/x' }, /^url: is a URL of this service\.$/],
    ...[
      'https://10.0.0.1',
      'https://169.254.169.254/latest',
      'https://0xa9fea9fe',
      'https://8.8.8.8',
      'https://[fd00::1]',
      'https://[::ffff:10.0.0.1]',
      'https://intranet/',
      'https://db.internal',
      'https://printer.local.',
      'https://router.home.arpa',
    ].map((url): [string, object, RegExp] => [
      `SSRF: ${url}`,
      { url },
      /^url: expected a public host name\.$/,
    ]),
    ['no URL', {}, /^url: required for a webhook/],
    [
      'a trigger besides the URL',
      { url: 'https://hooks.svc.dev', trigger_id: 'x' },
      /^trigger_id: not allowed for a webhook/,
    ],
    ['an unknown signal', { url: 'https://hooks.svc.dev', signals: ['nothing'] }, /^signals/],
    ['an empty filter', { url: 'https://hooks.svc.dev', trigger_ids: [] }, /^trigger_ids/],
  ]
  it.each(refusals)('with %s', async (_, fields, message) => {
    const owner = await newOwner()
    const { path, init } = post(CHANNELS, { type: 'webhook', name: 'x', ...fields })
    const response = await owner.api(path, init)
    expect(response.status).toBe(422)
    expect((await response.json<{ message: string }>()).message).toMatch(message)
    expect(await (await owner.api(CHANNELS)).json()).toEqual({ channels: [] })
  })

  it('foreign trigger: neither as the receiver nor in the filter', async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    const { id } = await createTrigger(other)
    const schedule = await createTrigger(owner, { kind: 'schedule', config: { cron: '0 0 * * *' } })
    const errorOf = async (channel: object) => {
      const { path, init } = post(CHANNELS, { name: 'x', ...channel })
      const response = await owner.api(path, init)
      return [response.status, (await response.json<{ message: string }>()).message]
    }
    const none = [422, 'trigger_id: you have no trigger with this ID.']
    for (const trigger_id of [id, await unknownTriggerId(), 'x'])
      expect(await errorOf({ type: 'trigger', trigger_id })).toEqual(none)
    expect(await errorOf({ type: 'trigger', trigger_id: schedule.id })).toEqual([
      422,
      'trigger_id: the trigger is not a webhook.',
    ])
    const filtered = {
      type: 'webhook',
      url: 'https://hooks.svc.dev',
      trigger_ids: [schedule.id, id],
    }
    expect(await errorOf(filtered)).toEqual([
      422,
      'trigger_ids[1]: you have no trigger with this ID.',
    ])
  })

  it('if the account has ten', async () => {
    const owner = await newOwner()
    for (let n = 0; n < 10; n++) await add(owner, { type: 'webhook', url: 'https://hooks.svc.dev' })
    const { path, init } = post(CHANNELS, {
      type: 'webhook',
      name: 'x',
      url: 'https://hooks.svc.dev',
    })
    const response = await owner.api(path, init)
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ reason: 'too_many_channels' })
  })

  it('changed and deleted only by its owner, with the same rules', async () => {
    const { owner, channel, read } = await withWebhook()
    const path = `${CHANNELS}/${channel.id}`
    expect((await patch(owner, path, { url: 'https://10.0.0.1' })).status).toBe(422)
    expect((await patch(owner, path, { type: 'trigger' })).status).toBe(422)
    const changed = { name: 'renamed', url: 'https://hooks.svc.dev/new', signals: ['run_failed'] }
    expect(await (await patch(owner, path, changed)).json()).toMatchObject(changed)
    await patch(owner, path, { signals: null })
    expect(await read()).toMatchObject({ signals: null, name: 'renamed' })
    const other = await newOwner()
    expect((await other.api(path, { method: 'DELETE' })).status).toBe(404)
    expect((await owner.api(path, { method: 'DELETE' })).status).toBe(204)
    expect((await owner.api(path, { method: 'DELETE' })).status).toBe(404)
  })
})
