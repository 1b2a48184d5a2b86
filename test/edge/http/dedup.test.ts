import { describe, expect, it } from 'vitest'
import { DELIVERY_RETENTION_MS } from '../../../shared/limits.ts'
import {
  createTrigger,
  edge,
  kill,
  type Owner,
  runOnce,
  script,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()
/** An origin that asks for an hour's delay, so that queued runs stay queued. */
const HELD = script({ refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } })

async function trigger(over: object = {}): Promise<string> {
  const { id } = await createTrigger(owner, {
    options: { dedup: true },
    action_code: HELD,
    ...over,
  })
  return id
}

type Answer = { status: number; body: { run_id: string; duplicate?: true } }

async function deliver(
  id: string,
  headers: Record<string, string> = { 'webhook-id': 'msg_1' },
  body = '{}',
): Promise<Answer> {
  const response = await edge(`/webhook/${id}`, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}

const runsOf = (id: string) => sql(id, 'SELECT 1 FROM runs')

/** Returns true if a second delivery with these headers is recognized as the first one. */
async function isOne(id: string, first: Record<string, string>, second = first): Promise<boolean> {
  const [a, b] = [await deliver(id, first), await deliver(id, second)]
  expect([a.status, b.status, a.body.duplicate]).toEqual([202, 202, undefined])
  expect(b.body.duplicate).toBe(a.body.run_id === b.body.run_id ? true : undefined)
  return a.body.run_id === b.body.run_id
}

describe('a repeated delivery', () => {
  it('returns 202 with the first run, marked as a duplicate', async () => {
    const id = await trigger()
    const first = await deliver(id)
    const again = await deliver(id, { 'webhook-id': 'msg_1' }, 'another body')
    expect(again).toEqual({
      status: 202,
      body: { run_id: first.body.run_id, status: 'queued', duplicate: true },
    })
    expect(first.body).toEqual({ run_id: first.body.run_id, status: 'queued' })
    expect(await runsOf(id)).toHaveLength(1)
  })

  it.each([
    'idempotency-key',
    'svix-id',
    'x-github-delivery',
    'x-shopify-webhook-id',
    'x-event-id',
  ])('is recognized by %s', async (name) =>
    expect(await isOne(await trigger(), { [name]: '1' })).toBe(true),
  )

  it('is recognized by its most specific ID, whatever else the sender repeats or changes', async () => {
    const id = await trigger()
    const key = { 'idempotency-key': 'k' }
    expect(await isOne(id, { ...key, 'webhook-id': '1' }, { ...key, 'webhook-id': '2' })).toBe(true)
    expect(
      await isOne(
        id,
        { 'idempotency-key': 'l', 'x-event-id': '1' },
        { 'idempotency-key': 'm', 'x-event-id': '1' },
      ),
    ).toBe(false)
  })

  it('is recognized by the source and ID of a CloudEvent together', async () => {
    const id = await trigger()
    expect(await isOne(id, { 'ce-id': '1', 'ce-source': '/a' })).toBe(true)
    expect(
      await isOne(id, { 'ce-id': '2', 'ce-source': '/a' }, { 'ce-id': '2', 'ce-source': '/b' }),
    ).toBe(false)
  })

  it('is still reported as queued after its run finished', async () => {
    const id = await trigger({ action_code: script(success()) })
    const { body } = await deliver(id)
    await runOnce(owner, body.run_id)
    expect((await deliver(id)).body).toMatchObject({ status: 'queued', duplicate: true })
  })

  it('is recognized after the object was killed', async () => {
    const id = await trigger()
    const { body } = await deliver(id)
    await kill(id)
    expect((await deliver(id)).body).toMatchObject({ run_id: body.run_id, duplicate: true })
  })

  it('is accepted as a duplicate even if the queue is full', async () => {
    const id = await trigger({ max_queued_runs: 1, max_runs_per_minute: 1 })
    const first = await deliver(id, { 'webhook-id': '1' })
    await deliver(id, { 'webhook-id': '2' })
    expect((await deliver(id, { 'webhook-id': '3' })).status).toBe(429)
    expect((await deliver(id, { 'webhook-id': '1' })).body.run_id).toBe(first.body.run_id)
  })

  it('is not a duplicate if the first one was rejected', async () => {
    const id = await trigger({ max_queued_runs: 1, max_runs_per_minute: 1 })
    for (const name of ['1', '2']) await deliver(id, { 'webhook-id': name })
    expect((await deliver(id, { 'webhook-id': '3' })).status).toBe(429)
    await sql(id, 'UPDATE trigger SET max_queued_runs = 10')
    await kill(id)
    expect((await deliver(id, { 'webhook-id': '3' })).body.duplicate).toBeUndefined()
  })

  it('creates one run for 64 simultaneous deliveries, and returns it to all of them', async () => {
    const id = await trigger()
    const answers = await Promise.all(Array.from({ length: 64 }, () => deliver(id)))
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1)
    expect(answers.filter(({ body }) => body.duplicate === undefined)).toHaveLength(1)
    expect(await runsOf(id)).toHaveLength(1)
  })

  it('fails together with a failing simultaneous delivery, and is new afterwards', async () => {
    const id = await trigger()
    const refusing = "BEFORE INSERT ON deliveries BEGIN SELECT RAISE(ABORT, 'full'); END"
    await sql(id, `CREATE TRIGGER refusing ${refusing}`)
    const failed = await Promise.all([deliver(id), deliver(id), deliver(id)])
    expect(failed.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(await runsOf(id)).toEqual([])
    await sql(id, 'DROP TRIGGER refusing')
    expect((await deliver(id)).body).toEqual({ run_id: expect.any(String), status: 'queued' })
    expect((await deliver(id)).body.duplicate).toBe(true)
  })

  it('is new after 24 hours', async () => {
    const id = await trigger()
    const first = await deliver(id)
    const shift = 'UPDATE deliveries SET at = at - ?'
    await sql(id, shift, DELIVERY_RETENTION_MS - 60_000)
    expect((await deliver(id)).body.run_id).toBe(first.body.run_id)
    await sql(id, shift, 60_001)
    const next = await deliver(id)
    expect(next.body.run_id).not.toBe(first.body.run_id)
    expect((await deliver(id)).body.run_id).toBe(next.body.run_id)
  })
})

describe('a delivery is not a duplicate', () => {
  it('if it has the same body but no ID, such as a ping', async () => {
    expect(await isOne(await trigger(), {})).toBe(false)
  })

  it.each([
    ['an empty id', { 'webhook-id': '' }],
    ['the id of a subscription', { 'x-webhook-id': 'PX1', 'x-github-hook-id': '1' }],
  ])('if it has %s', async (_, headers) =>
    expect(await isOne(await trigger(), headers)).toBe(false),
  )

  it('if the same ID has another header, or is for another trigger', async () => {
    const [one, other] = [await trigger(), await trigger()]
    expect(await isOne(one, { 'webhook-id': '1' }, { 'svix-id': '1' })).toBe(false)
    const [a, b] = [await deliver(one), await deliver(other)]
    expect([a.body.duplicate, b.body.duplicate]).toEqual([undefined, undefined])
  })

  it.each([{}, { dedup: false }])('if deduplication is not enabled: %j', async (options) => {
    expect(await isOne(await trigger({ options }), { 'webhook-id': '1' })).toBe(false)
  })
})

describe('a custom deduplication header', () => {
  it.each(['X-Order-Number', 'x-event-id', 'constructor'])(
    '%s is the only header that identifies deliveries',
    async (header) => {
      const id = await trigger({ options: { dedup: { header } } })
      expect(
        await isOne(
          id,
          { [header]: '7', 'idempotency-key': '1' },
          { [header]: '7', 'idempotency-key': '2' },
        ),
      ).toBe(true)
      expect(await isOne(id, { 'webhook-id': '1' })).toBe(false)
    },
  )

  it('is not passed to the action', async () => {
    const id = await trigger({ options: { dedup: { header: 'x-order-number' } } })
    await deliver(id, { 'x-order-number': '7' })
    const [row] = await sql<{ firing: string }>(id, 'SELECT firing FROM runs')
    expect(row!.firing).not.toContain('x-order-number')
  })

  it('stored credential: never reads a denied header', async () => {
    const id = await trigger()
    // Creation rejects this option. This tests an object that has it anyway.
    const options = JSON.stringify({ dedup: { header: 'authorization' } })
    await sql(id, 'UPDATE trigger SET options = ?', options)
    await kill(id)
    expect(await isOne(id, { authorization: 'Bearer canary' })).toBe(false)
    expect(await sql(id, 'SELECT * FROM deliveries')).toEqual([])
  })
})

describe('a flood of long IDs', () => {
  it('is stored as hashes, and IDs that differ only near the end stay distinct', async () => {
    const id = await trigger()
    const long = 'x'.repeat(5_000)
    expect(await isOne(id, { 'webhook-id': long })).toBe(true)
    expect(await isOne(id, { 'webhook-id': `${long}a` }, { 'webhook-id': `${long}b` })).toBe(false)
    const keys = await sql<{ key: string }>(id, 'SELECT key FROM deliveries')
    for (const { key } of keys) expect(key).toMatch(/^webhook-id#[\w-]{43}$/)
  })
})
