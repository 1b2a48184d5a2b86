import { describe, expect, it } from 'vitest'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  kill,
  type Owner,
  post,
  queueOf,
  runOnce,
  script,
  someOwner,
  sql,
  success,
} from '../app.ts'
import { runInDurableObject } from 'cloudflare:test'

const owner: Owner = await someOwner()
/** An origin that asks for an hour's delay, so that queued runs stay queued. */
const HELD = script({ refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } })

async function trigger(options: object, over: object = {}): Promise<string> {
  return (await createTrigger(owner, { action_code: HELD, options, ...over })).id
}

async function deliver(id: string, event: unknown, headers: Record<string, string> = {}) {
  const response = await edge(`/webhook/${id}`, {
    method: 'POST',
    body: JSON.stringify(event),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

const runsOf = async (id: string) => (await sql(id, 'SELECT 1 FROM runs')).length
async function statsOf(id: string) {
  const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
  return record.stats!
}
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const create = (over: object) =>
  owner.api(
    '/api/triggers',
    post('', { name: 'f', kind: 'webhook', action_code: HELD, usage_api_key: 'usage-key', ...over })
      .init,
  )

describe('a filter', () => {
  it('starts a run only for events that match, and counts the others', async () => {
    const id = await trigger({ filter: 'event.action == "opened"' })
    expect(await deliver(id, { action: 'closed' })).toEqual({
      status: 202,
      body: { status: 'filtered' },
    })
    expect(await deliver(id, { action: 'opened' })).toMatchObject({
      status: 202,
      body: { status: 'queued' },
    })
    expect(await runsOf(id)).toBe(1)
    expect(await statsOf(id)).toMatchObject({ filtered: 1, filter_errors: 0 })
  })

  it('does not match an event on which it fails, and shows the last error', async () => {
    const id = await trigger({ filter: 'event.pull_request.draft == false' })
    expect((await deliver(id, { action: 'opened' })).body).toEqual({ status: 'filtered' })
    expect(await runsOf(id)).toBe(0)
    const stats = await statsOf(id)
    expect(stats).toMatchObject({ filtered: 0, filter_errors: 1 })
    expect(stats.last_expression_error).toEqual({
      at: expect.any(String),
      error: 'filter: No such key: pull_request (at character 7)',
    })
  })

  it('sees the params of the action: default params, passed headers and the request', async () => {
    const filter = 'headers["x-mine"] == secret && request.query.a == "1"'
    const id = await trigger(
      { filter, pass_headers: ['x-mine'] },
      { default_params: { secret: 's3', event: 'overridden' } },
    )
    const response = await edge(`/webhook/${id}?a=1`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-mine': 's3' },
    })
    expect(await response.json()).toMatchObject({ status: 'queued' })
    expect((await deliver(id, {}, { 'x-mine': 's4' })).body).toEqual({ status: 'filtered' })
  })

  it('applies after the object was killed, and with new params and options after a change', async () => {
    const id = await trigger({ filter: 'event.n > limit' }, { default_params: { limit: 5 } })
    await kill(id)
    expect((await deliver(id, { n: 5 })).body).toEqual({ status: 'filtered' })
    await patch(id, { default_params: { limit: 4 } })
    expect((await deliver(id, { n: 5 })).body).toMatchObject({ status: 'queued' })
    await patch(id, { options: { filter: 'event.n < limit' } })
    expect((await deliver(id, { n: 5 })).body).toEqual({ status: 'filtered' })
    await patch(id, { options: {} })
    expect((await deliver(id, { n: 5 })).body).toMatchObject({ status: 'queued' })
  })

  it('does not accept events of a disabled trigger', async () => {
    const id = await trigger({ filter: 'false' }, { enabled: false })
    expect((await deliver(id, {})).status).toBe(503)
  })

  it('is skipped by test runs and replays', async () => {
    const id = await trigger({}, { action_code: script(success()) })
    const { body } = await deliver(id, { n: 1 })
    await runOnce(owner, String(body.run_id))
    await patch(id, { options: { filter: 'false' } })
    const test = await owner.api(`/api/triggers/${id}/test`, post('', { event: {} }).init)
    const replay = await owner.api(`/api/runs/${String(body.run_id)}/replay`, post('', {}).init)
    expect([test.status, replay.status]).toEqual([202, 202])
    expect(await runsOf(id)).toBe(3)
  })

  it('keeps its counts after the object was killed, once they are written', async () => {
    const id = await trigger({ filter: 'event.n == 1' })
    for (const event of [{ n: 2 }, { n: 3 }, {}]) await deliver(id, event)
    await runInDurableObject(queueOf(id), (_, { storage }) => storage.setAlarm(Date.now()))
    await expect
      .poll(async () => (await sql(id, 'SELECT 1 FROM event_counts')).length, { timeout: 15_000 })
      .toBe(1)
    await kill(id)
    expect(await statsOf(id)).toMatchObject({ filtered: 2, filter_errors: 1 })
  })

  it.each([
    ['event.', 'Expected IDENTIFIER, got EOF (at character 7)'],
    ['1', 'the result is a int, expected bool'],
    ['event.a.matches("(a+)+")', 'matches is not supported'],
  ])('%s is rejected at creation and in a change', async (filter, problem) => {
    const id = await trigger({})
    for (const response of [
      await create({ options: { filter } }),
      await patch(id, { options: { filter } }),
    ]) {
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        message: expect.stringContaining(`options.filter: ${problem}`),
      })
    }
  })

  it('that is no longer valid lets no event through, and shows why', async () => {
    const id = await trigger({ filter: 'event.n == 1' })
    await sql(id, `UPDATE trigger SET options = '{"filter":"event.matches(1)"}'`)
    await kill(id)
    expect((await deliver(id, { n: 1 })).body).toEqual({ status: 'filtered' })
    const { last_expression_error } = await statsOf(id)
    expect(last_expression_error!.error).toContain('matches is not supported')
  })
})

describe('a deduplication key', () => {
  it('allows one run for each value within 24 hours', async () => {
    const id = await trigger({ dedup_key: 'event.order.id' })
    const first = await deliver(id, { order: { id: 7 } })
    const again = await deliver(id, { order: { id: 7 }, other: 'body' })
    expect(again.body).toEqual({ run_id: first.body.run_id, status: 'queued', duplicate: true })
    expect((await deliver(id, { order: { id: 8 } })).body.duplicate).toBeUndefined()
    expect(await runsOf(id)).toBe(2)
    expect(await statsOf(id)).toMatchObject({ deduplicated: 1, key_errors: 0 })
    await kill(id)
    expect((await deliver(id, { order: { id: 7 } })).body.duplicate).toBe(true)
  })

  it('recognizes a long value by its hash', async () => {
    const id = await trigger({ dedup_key: 'event.id' })
    const long = 'x'.repeat(100_000)
    await deliver(id, { id: long })
    expect((await deliver(id, { id: long })).body.duplicate).toBe(true)
    expect((await deliver(id, { id: `${long}y` })).body.duplicate).toBeUndefined()
    const [row] = await sql(id, 'SELECT max(length(key)) AS longest FROM deliveries')
    expect(Number(row!.longest)).toBeLessThan(300)
  })

  it('without a value, or with an error, runs each event', async () => {
    const id = await trigger({ dedup_key: 'event.id' })
    for (const event of [{ id: null }, { id: null }, {}, {}]) await deliver(id, event)
    expect(await runsOf(id)).toBe(4)
    expect(await statsOf(id)).toMatchObject({ key_errors: 2, deduplicated: 0 })
  })

  it('is evaluated only for events that match the filter', async () => {
    const id = await trigger({ dedup_key: 'event.id', filter: 'event.ok' })
    expect((await deliver(id, { id: 1, ok: false })).body).toEqual({ status: 'filtered' })
    expect((await deliver(id, { id: 1, ok: true })).body.duplicate).toBeUndefined()
  })

  it('cannot be combined with dedup, and is not an option of schedules', async () => {
    const both = await create({ options: { dedup: true, dedup_key: 'event.id' } })
    const schedule = await create({
      kind: 'schedule',
      config: { cron: '0 * * * *' },
      options: { dedup_key: 'source' },
    })
    expect([both.status, schedule.status]).toEqual([422, 422])
  })
})

describe('the preview', () => {
  const preview = async (body: object) => {
    const response = await owner.api(
      '/api/triggers/preview',
      post('', { kind: 'webhook', ...body }).init,
    )
    return { status: response.status, body: await response.json<Record<string, unknown>>() }
  }

  it('evaluates expressions on the sample params', async () => {
    const options = { filter: 'event.hello == "world"', dedup_key: 'event.missing' }
    expect((await preview({ options })).body.expressions).toEqual({
      filter: { value: true },
      dedup_key: { error: 'No such key: missing (at character 7)' },
    })
  })

  it('evaluates expressions on the latest events of a trigger, newest first, without test runs', async () => {
    const id = await trigger({}, { default_params: { limit: 1 } })
    const ids: unknown[] = []
    for (const event of [{ n: 1 }, { n: 2 }, {}])
      ids.unshift((await deliver(id, event)).body.run_id)
    await owner.api(`/api/triggers/${id}/test`, post('', { event: { n: 9 } }).init)
    const { body } = await preview({ trigger_id: id, options: { filter: 'event.n > limit' } })
    const recent = body.recent as { run_id: string; expressions: object }[]
    expect(recent.map(({ run_id }) => run_id)).toEqual(ids)
    expect(recent.map(({ expressions }) => expressions)).toEqual([
      { filter: { error: 'No such key: n (at character 7)' } },
      { filter: { value: true } },
      { filter: { value: false } },
    ])
  })

  it('secrets: shows no header that the run history masks', async () => {
    const id = await trigger({ pass_headers: ['x-shop-token'] })
    await deliver(id, {}, { 'x-shop-token': 'hunter2', 'x-topic': 'orders' })
    const options = {
      dedup_key: 'headers["x-shop-token"] + " " + headers["x-topic"]',
      filter: 'bool(headers["x-shop-token"])',
    }
    const { body } = await preview({ trigger_id: id, options })
    expect(JSON.stringify(body.recent)).toContain('orders')
    expect(JSON.stringify(body.recent)).not.toContain('hunter2')
  })

  it('does not evaluate expressions on the events of another user', async () => {
    const { id } = await createTrigger(await someOwner())
    expect((await preview({ trigger_id: id, options: { filter: 'true' } })).status).toBe(404)
    expect((await preview({ trigger_id: 'x', options: { filter: 'true' } })).status).toBe(404)
  })
})
