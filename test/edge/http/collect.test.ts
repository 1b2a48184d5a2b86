import { describe, expect, it } from 'vitest'
import { COLLECT_MAX_MS, DEBOUNCE_WAIT_MAX_MS } from '../../../shared/limits.ts'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  kill,
  type Owner,
  post,
  readRun,
  runOnce,
  script,
  seen,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()
const LONG = COLLECT_MAX_MS

async function trigger(options: object, over: object = {}): Promise<string> {
  const code = script(success())
  return (await createTrigger(owner, { action_code: code, options, ...over })).id
}

type Fired = { run_id: string; status: string; duplicate?: true }
async function deliver(
  id: string,
  event: unknown,
  headers: Record<string, string> = {},
): Promise<Fired> {
  const response = await edge(`/webhook/${id}`, {
    method: 'POST',
    body: JSON.stringify(event),
    headers: { 'content-type': 'application/json', ...headers },
  })
  expect(response.status).toBe(202)
  return response.json()
}
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const call = (path: string) => owner.api(path, post('', {}).init)
/** Ends the time for which runs wait for further events. */
async function end(id: string): Promise<void> {
  await sql(id, 'UPDATE collecting SET due_at = 1')
  await sql(id, 'UPDATE runs SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL')
  await kill(id)
  await owner.api(`/api/triggers/${id}`)
  await patch(id, { name: 'woken' })
}
const eventsOf = ({ input }: RunRecord) =>
  (input.events as { event: unknown }[]).map(({ event }) => event)
async function queuedOf(id: string) {
  const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
  return record.stats!.queued
}

describe('a batch', () => {
  it('becomes one run with its events in order, when it is full', async () => {
    const id = await trigger({ batch: { max_events: 3, max_ms: LONG } })
    const fired = [await deliver(id, 1), await deliver(id, { n: 2 }), await deliver(id, 'three')]
    const next = await deliver(id, 4)
    expect(new Set(fired.map(({ run_id }) => run_id)).size).toBe(1)
    expect(next.run_id).not.toBe(fired[0]!.run_id)
    const run = await runOnce(owner, fired[0]!.run_id)
    expect(eventsOf(run)).toEqual([1, { n: 2 }, 'three'])
    expect(run.input).toMatchObject({ source: 'webhook' })
    const { params } = (await seen(run.id))[0]!
    expect(params).toEqual(run.input)
    expect((await readRun(owner, next.run_id)).status).toBe('queued')
  })

  it('starts when its time is over, and shows that time before', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: 300 } })
    const { run_id } = await deliver(id, 1)
    const queued = await readRun(owner, run_id)
    expect(queued).toMatchObject({ status: 'queued', attempt: 0 })
    expect(Date.parse(queued.next_attempt_at!) - Date.parse(queued.queued_at)).toBe(300)
    expect(eventsOf(await runOnce(owner, run_id))).toEqual([1])
    expect((await deliver(id, 2)).run_id).not.toBe(run_id)
  })

  it('is on disk with each response: it survives an eviction, and starts afterwards', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: LONG } })
    const { run_id } = await deliver(id, 1)
    await kill(id)
    expect((await deliver(id, 2)).run_id).toBe(run_id)
    await kill(id)
    expect(eventsOf(await readRun(owner, run_id))).toEqual([1, 2])
    expect(await queuedOf(id)).toBe(1)
    await end(id)
    expect(eventsOf(await runOnce(owner, run_id))).toEqual([1, 2])
    expect(await queuedOf(id)).toBe(0)
  })

  it('has no more bytes than one webhook, and keeps bodies exactly', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: LONG } })
    const half = 'é'.repeat(600_000)
    const first = await deliver(id, half)
    const second = await deliver(id, half)
    expect(second.run_id).not.toBe(first.run_id)
    expect((await deliver(id, 'small')).run_id).toBe(second.run_id)
    // Reading the record of a run this large takes long.
    const status = 'SELECT status FROM runs ORDER BY sequence LIMIT 1'
    await expect
      .poll(async () => (await sql(id, status))[0]!.status, { timeout: 15_000 })
      .toBe('success')
    const run = await runOnce(owner, first.run_id)
    expect(run.input.events).toMatchObject([{ event: half, event_raw: JSON.stringify(half) }])
    expect(eventsOf(await readRun(owner, second.run_id))).toEqual([half, 'small'])
  })

  it('contains each of 64 simultaneous events once', async () => {
    const id = await trigger({ batch: { max_events: 64, max_ms: LONG } })
    const numbers = Array.from({ length: 64 }, (_, n) => n)
    const fired = await Promise.all(numbers.map((n) => deliver(id, n)))
    expect(new Set(fired.map(({ run_id }) => run_id)).size).toBe(1)
    const run = await runOnce(owner, fired[0]!.run_id)
    expect(eventsOf(run).toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers)
  })

  it('that was cancelled or purged takes no more events', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: LONG } })
    const first = await deliver(id, 1)
    expect((await call(`/api/runs/${first.run_id}/cancel`)).status).toBe(200)
    const second = await deliver(id, 2)
    expect(second.run_id).not.toBe(first.run_id)
    await call(`/api/triggers/${id}/purge`)
    const third = await deliver(id, 3)
    expect(third.run_id).not.toBe(second.run_id)
    expect(eventsOf(await readRun(owner, third.run_id))).toEqual([3])
    expect(await queuedOf(id)).toBe(1)
  })

  it('keeps its code when the code changes, and later events start a new one', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: LONG } })
    const first = await deliver(id, 1)
    const before = await readRun(owner, first.run_id)
    await patch(id, { action_code: script(success('new')) })
    const second = await deliver(id, 2)
    expect(second.run_id).not.toBe(first.run_id)
    const run = await runOnce(owner, first.run_id)
    expect(run).toMatchObject({ response: 'done', action_cid: before.action_cid })
  })

  it('waits in the queue of a disabled trigger, also without its option, and is deleted with it', async () => {
    const id = await trigger({ batch: { max_events: 100, max_ms: LONG } })
    const { run_id } = await deliver(id, 1)
    await patch(id, { enabled: false, options: {} })
    await end(id)
    expect((await readRun(owner, run_id)).status).toBe('queued')
    await patch(id, { enabled: true })
    expect(eventsOf(await runOnce(owner, run_id))).toEqual([1])
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await owner.api(`/api/runs/${run_id}`)).status).toBe(404)
  })

  it('leaves out filtered and repeated events', async () => {
    const options = { filter: 'event.ok', dedup_key: 'event.id' }
    const id = await trigger({ batch: { max_events: 2, max_ms: LONG }, ...options })
    const first = await deliver(id, { id: 1, ok: true })
    expect(await deliver(id, { id: 2, ok: false })).toEqual({ status: 'filtered' })
    const again = await deliver(id, { id: 1, ok: true })
    expect(again).toEqual({ run_id: first.run_id, status: 'queued', duplicate: true })
    await deliver(id, { id: 3, ok: true })
    expect(eventsOf(await runOnce(owner, first.run_id))).toEqual([
      { id: 1, ok: true },
      { id: 3, ok: true },
    ])
  })

  it('masks secret headers of its events in the history', async () => {
    const id = await trigger({ batch: { max_events: 2, max_ms: LONG }, pass_headers: ['x-mine'] })
    await deliver(id, 1, { 'x-mine': 'secret' })
    const { run_id } = await deliver(id, 2, { 'x-gitlab-token': 'token' })
    const run = await runOnce(owner, run_id)
    expect(JSON.stringify(run)).not.toMatch(/"secret"|"token"/)
    expect(JSON.stringify((await seen(run_id))[0])).toMatch(/secret/)
  })

  it('is replayed with all of its events, as a run of its own', async () => {
    const id = await trigger({ batch: { max_events: 2, max_ms: LONG } })
    await deliver(id, 1)
    const { run_id } = await deliver(id, 2)
    await runOnce(owner, run_id)
    const replayed: Fired = await (await call(`/api/runs/${run_id}/replay`)).json()
    expect(replayed.run_id).not.toBe(run_id)
    expect(eventsOf(await runOnce(owner, replayed.run_id))).toEqual([1, 2])
  })

  it('does not delay test runs, even with a concurrency of one', async () => {
    const id = await trigger({ batch: { max_events: 9, max_ms: LONG }, concurrency: 1 })
    await deliver(id, 1)
    const test = await owner.api(`/api/triggers/${id}/test`, post('', { event: {} }).init)
    const { run_id }: Fired = await test.json()
    expect(await runOnce(owner, run_id)).toMatchObject({ status: 'success' })
  })
})

describe('a debounced event', () => {
  it('replaces the earlier one, and runs after a quiet period', async () => {
    const id = await trigger({ debounce_ms: 400 })
    const fired = [await deliver(id, 1), await deliver(id, 2), await deliver(id, 3)]
    expect(new Set(fired.map(({ run_id }) => run_id)).size).toBe(1)
    const run = await runOnce(owner, fired[0]!.run_id)
    expect(run.input).toMatchObject({ source: 'webhook', event: 3 })
    expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)
    expect((await deliver(id, 4)).run_id).not.toBe(run.id)
  })

  it('is delayed by each later event, but at most by an hour', async () => {
    const id = await trigger({ debounce_ms: LONG })
    const { run_id } = await deliver(id, 1)
    const dueAt = async () => Date.parse((await readRun(owner, run_id)).next_attempt_at!)
    const first = await dueAt()
    await sql(id, 'UPDATE runs SET next_attempt_at = next_attempt_at - 5000')
    await deliver(id, 2)
    expect(await dueAt()).toBeGreaterThanOrEqual(first)
    const ago = DEBOUNCE_WAIT_MAX_MS - 1_000
    await sql(id, 'UPDATE collecting SET opened_at = opened_at - ?', ago)
    await deliver(id, 3)
    expect(await dueAt()).toBeLessThan(first)
  })

  it('is debounced separately for each value of its key, and not without one', async () => {
    const id = await trigger({ debounce_ms: LONG, debounce_key: 'event.repo' })
    const ids: string[] = []
    for (const repo of ['a', 'b', 'a', null, null]) ids.push((await deliver(id, { repo })).run_id)
    expect(ids[0]).toBe(ids[2])
    expect(new Set(ids).size).toBe(4)
    expect((await runOnce(owner, ids[3]!)).status).toBe('success')
    expect(await queuedOf(id)).toBe(2)
  })

  it('survives an eviction, with a body of two megabytes', async () => {
    const id = await trigger({ debounce_ms: LONG })
    const large = 'x'.repeat(2_000_000)
    const { run_id } = await deliver(id, 'small')
    await deliver(id, large)
    await kill(id)
    expect((await readRun(owner, run_id)).input.event).toBe(large)
    await deliver(id, 'last')
    expect(await sql(id, 'SELECT 1 FROM body_parts')).toEqual([])
    await end(id)
    expect((await runOnce(owner, run_id)).input.event).toBe('last')
    expect(await queuedOf(id)).toBe(0)
  })

  it('runs with the code at the time of the last event', async () => {
    const id = await trigger({ debounce_ms: LONG })
    const { run_id } = await deliver(id, 1)
    await patch(id, { action_code: script(success('new')) })
    expect((await deliver(id, 2)).run_id).toBe(run_id)
    await end(id)
    expect((await runOnce(owner, run_id)).response).toBe('new')
  })
})

describe('options that wait for further events', () => {
  it.each([
    [{ batch: { max_events: 2, max_ms: 100 }, debounce_ms: 100 }, 'options.batch'],
    [{ debounce_key: 'event.a' }, 'options.debounce_key'],
    [{ debounce_ms: 100, order_key: 'event.a' }, 'options.order_key'],
    [
      { batch: { max_events: 2, max_ms: 100 }, concurrency_key: 'event.a' },
      'options.concurrency_key',
    ],
    [{ debounce_ms: 99 }, 'options.debounce_ms'],
    [{ batch: { max_events: 1, max_ms: 100 } }, 'options.batch.max_events'],
    [{ batch: { max_events: 2 } }, 'options.batch.max_ms'],
  ])('%j is rejected because of %s', async (options, field) => {
    const { id } = await createTrigger(owner)
    const response = await patch(id, { options })
    expect(response.status).toBe(422)
    expect(JSON.stringify(await response.json())).toContain(field)
  })
})
