import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { ORIGIN_CONNECTIONS_PER_OBJECT } from '../../../shared/limits.ts'
import {
  CID,
  createTrigger,
  fire,
  kill,
  type Owner,
  queueOf,
  readRun,
  runOnce,
  script,
  seen,
  slow,
  someOwner,
  sql,
  success,
} from '../app.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'

const owner: Owner = await someOwner()
const begin = (...steps: Parameters<typeof script>) =>
  createTrigger(owner, { action_code: script(...steps) })
const logs = [{ level: 'warn' as const, at_ms: 3, text: 'careful' }]

describe('a run', () => {
  it('that succeeds has its response, logs and times, and one attempt', async () => {
    const { id } = await begin({ outcome: { ...success({ a: [1] }).outcome, logs } })
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'success', response: { a: [1] }, error: null, attempt: 1 })
    expect(run.charged_cents).toBe(1)
    expect(run.logs).toEqual(logs)
    const times = [run.queued_at, run.started_at!, run.finished_at!]
    expect(times.toSorted()).toEqual(times)
  })

  const base = { action_cid: CID, duration_ms: 1, charged_cents: 0, logs }
  const failure = { status: 'failed' as const, ...base }

  it('that throws fails with the stack, and is not retried', async () => {
    const stack = 'Error: no\n    at main (action.js:3:9)'
    const { id } = await begin({
      outcome: { ...failure, code: 'action_threw', message: 'no', stack },
    })
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'failed', response: null, error: stack, logs, attempt: 1 })
    expect(await seen(run.id)).toHaveLength(1)
  })

  it.each(['out_of_credits', 'spend_cap_reached', 'failed_execution_allowance'])(
    'that was stopped with %s fails and does not wait',
    async (code) => {
      const outcome = { ...failure, code, message: 'Stopped after 3 s.', stack: '' }
      const { id } = await begin({ outcome })
      const run = await runOnce(owner, await fire(id))
      const stopped = { status: 'failed', error: `${code}: Stopped after 3 s.`, logs, attempt: 1 }
      expect(run).toMatchObject({ ...stopped, charged_cents: 0, waiting_for: null })
      expect(await seen(run.id)).toHaveLength(1)
    },
  )

  it('shows the receipt that the origin signed, whether it succeeded or failed', async () => {
    const receipt = 'header.payload.signature'
    const stopped = { ...failure, code: 'action_threw', message: 'no', stack: '' }
    for (const outcome of [success().outcome, stopped]) {
      const { id } = await begin({ outcome: { ...outcome, receipt } })
      expect((await runOnce(owner, await fire(id))).receipt).toBe(receipt)
    }
  })

  it('has a null receipt before it finishes, and if none was signed', async () => {
    const lost = { ...failure, code: 'origin_lost', message: 'gone', stack: '' }
    const { id } = await begin({ outcome: lost, after_ms: 300 })
    const run = await fire(id)
    expect((await readRun(owner, run)).receipt).toBeNull()
    expect((await runOnce(owner, run)).receipt).toBeNull()
  })

  it('is shown as running while the origin executes it', async () => {
    const { id } = await begin(slow(300))
    const run = await fire(id)
    const running = await runOnce(owner, run, ({ status }) => status === 'running')
    expect(running).toMatchObject({ finished_at: null, attempt: 1, charged_cents: 0 })
    expect((await runOnce(owner, run)).status).toBe('success')
  })

  it('sends the sealed usage key to the origin, which opens it to the original key', async () => {
    const { id } = await createTrigger(owner, { usage_api_key: 'key-for-this-trigger' })
    const run = await runOnce(owner, await fire(id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'key-for-this-trigger' }])
  })
})

it('sends on_lost: retry to the origin', async () => {
  const action_code = script(success())
  const { id } = await createTrigger(owner, { action_code, options: { on_lost: 'retry' } })
  const other = await begin(success())
  for (const [trigger, retryLost] of [
    [id, true],
    [other.id, false],
  ] as const) {
    const run = await runOnce(owner, await fire(trigger))
    expect(await seen(run.id)).toMatchObject([{ retryLost }])
  }
})

describe('a broken connection', () => {
  it('after the run was executed: keeps the outcome, executed once', async () => {
    const { id } = await begin({ break: true, ran: success('from before').outcome })
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'success', response: 'from before' })
    expect(await seen(run.id)).toHaveLength(1)
  })

  it('before the run was executed: sends it again', async () => {
    const { id } = await begin({ break: true }, success('second'))
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'success', response: 'second' })
    expect(await seen(run.id)).toHaveLength(2)
  })
})

it('truncation: a response that ends before the run is answered does not finish the run', async () => {
  const { id } = await begin({ unanswered: true }, success('second'))
  const run = await runOnce(owner, await fire(id))
  expect(run).toMatchObject({ status: 'success', response: 'second' })
  expect(await seen(run.id)).toHaveLength(2)
})

it('a refusal of the whole request applies to its runs', async () => {
  const refuse = { status: 403, error: 'forbidden' }
  const { id } = await begin({ refuse, isForAll: true }, success())
  const run = await runOnce(owner, await fire(id))
  expect(run).toMatchObject({ status: 'failed', error: '403 forbidden: by script none' })
  expect(await seen(run.id)).toHaveLength(1)
})

it('proxy: a response in plain text does not finish a run, even with status 200', async () => {
  const { id } = await begin({ unsealed: 200 }, success('from the origin'))
  const run = await runOnce(owner, await fire(id))
  expect(run).toMatchObject({ status: 'success', response: 'from the origin' })
})

it('waits for an overloaded origin as long as it asks, without using an attempt', async () => {
  const refuse = { status: 503, error: 'no_room', retry_after_s: 1 }
  const { id } = await begin({ refuse }, success('later'))
  const run = await runOnce(owner, await fire(id))
  expect(run).toMatchObject({ status: 'success', attempt: 1 })
  const [first, second] = await seen(run.id)
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(990)
})

it.each([
  [402, 'payment_required', undefined, 'payment'],
  [402, 'payment_required', 'spend_cap_reached', 'spend_cap'],
  [429, 'too_many_requests', 'failed_execution_allowance', 'failed_execution_allowance'],
])(
  'rejected with %i %s %s, the run and its trigger wait for: %s',
  async (status, error, reason, waiting_for) => {
    const refuse = { status, error, ...(reason && { reason }) }
    const { id } = await begin({ refuse }, success('paid'))
    const runId = await fire(id)
    const waiting = await runOnce(owner, runId, (run) => run.waiting_for !== null)
    expect(waiting).toMatchObject({ status: 'queued', attempt: 0, waiting_for })
    const trigger = async (): Promise<TriggerRecord> =>
      (await owner.api(`/api/triggers/${id}`)).json()
    expect(await trigger()).toMatchObject({ enabled: true, waiting_for })
    await kill(id)
    expect(await trigger()).toMatchObject({ waiting_for })
    await kill(id)
    await sql(id, 'UPDATE runs SET next_attempt_at = 1, requeued_at = 1')
    await kill(id)
    await runDurableObjectAlarm(queueOf(id))
    const paid = { status: 'success', attempt: 1, waiting_for: null }
    expect(await runOnce(owner, runId)).toMatchObject(paid)
    expect(await trigger()).toMatchObject({ waiting_for: null })
  },
)

it('retries immediately after a PATCH of the usage key, even if unchanged, because its cap may be higher', async () => {
  const names = { error: 'payment_required', reason: 'spend_cap_reached' }
  const refuse = { status: 402, ...names, retry_after_s: 3_600 }
  const { id } = await begin({ refuse }, success('room again'))
  const runId = await fire(id)
  await runOnce(owner, runId, (run) => run.waiting_for !== null)
  const body = JSON.stringify({ usage_api_key: 'usage-1' })
  const headers = { 'content-type': 'application/json' }
  const patched = await owner.api(`/api/triggers/${id}`, { method: 'PATCH', body, headers })
  expect(patched.status).toBe(200)
  const run = await runOnce(owner, runId)
  expect(run).toMatchObject({ status: 'success', attempt: 1, waiting_for: null })
})

it('retries after a network failure at the alarm', async () => {
  const { id } = await begin({ refuse: { status: 500, error: 'broken' } }, success('again'))
  const runId = await fire(id)
  const waiting = await runOnce(owner, runId, (run) => run.next_attempt_at !== null)
  expect(waiting).toMatchObject({ status: 'queued', attempt: 1, started_at: expect.any(String) })
  expect(Date.parse(waiting.next_attempt_at!) - Date.now()).toBeGreaterThan(1_000)
  await kill(id)
  await sql(id, 'UPDATE runs SET next_attempt_at = 1')
  await runDurableObjectAlarm(queueOf(id))
  expect(await runOnce(owner, runId)).toMatchObject({ status: 'success', attempt: 2 })
})

it('sends twelve slow runs over at most four connections', async () => {
  let open = 0
  let most = 0
  const send = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    // Counts only requests to the origin: chain watchers of other tests still poll their nodes.
    if (!new Request(input, init).url.includes('/sealed/')) return send(input, init)
    most = Math.max(most, ++open)
    try {
      return await send(input, init)
    } finally {
      open--
    }
  })
  const { id } = await begin(slow(150))
  const runs = await Promise.all(Array.from({ length: 12 }, () => fire(id)))
  for (const run of runs) expect((await runOnce(owner, run)).status).toBe('success')
  spy.mockRestore()
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(ORIGIN_CONNECTIONS_PER_OBJECT)
  for (const run of runs) expect(await seen(run)).toHaveLength(1)
})

it('noisy neighbor: slow runs of one trigger do not delay another trigger', async () => {
  const [noisy, quiet] = [await begin(slow(1_000)), await begin(success('quick'))]
  const slowRuns = await Promise.all(Array.from({ length: 12 }, () => fire(noisy.id)))
  const run = await runOnce(owner, await fire(quiet.id))
  expect(run.status).toBe('success')
  expect((await readRun(owner, slowRuns[11]!)).finished_at).toBeNull()
  await runOnce(owner, slowRuns[11]!)
})

describe('a killed object', () => {
  it('during a run resumes it at the alarm, and the run finishes once', async () => {
    const { id } = await begin(slow(400))
    const run = await fire(id)
    await vi.waitUntil(async () => (await seen(run)).length === 1)
    await kill(id)
    await runDurableObjectAlarm(queueOf(id))
    expect(await runOnce(owner, run)).toMatchObject({ status: 'success', attempt: 1 })
    expect(await seen(run)).toHaveLength(1)
  })

  it('right after the 202 starts the run at its alarm, without another request', async () => {
    const { id } = await begin(success('woken'))
    const run = await fire(id)
    await kill(id)
    await vi.waitUntil(async () => (await seen(run)).length > 0, { timeout: 5_000 })
    expect((await runOnce(owner, run)).status).toBe('success')
  })
})

describe('the alarm', () => {
  it('never throws, even if the storage fails, and is set again', async () => {
    const { id } = await begin(success())
    await runOnce(owner, await fire(id))
    await runInDurableObject(queueOf(id), async (instance, state) => {
      state.storage.sql.exec('ALTER TABLE runs RENAME TO away')
      await instance.alarm()
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now())
      state.storage.sql.exec('ALTER TABLE away RENAME TO runs')
    })
    expect((await runOnce(owner, await fire(id))).status).toBe('success')
  })

  it('is set for the lease before the run is sent', async () => {
    const { id } = await begin(slow(500))
    const run = await fire(id)
    await runOnce(owner, run, ({ status }) => status === 'running')
    const alarm = await runInDurableObject(queueOf(id), (_, state) => state.storage.getAlarm())
    const [{ lease_until: lease }] = (await sql<{ lease_until: number }>(
      id,
      'SELECT lease_until FROM runs',
    )) as [{ lease_until: number }]
    expect(lease).toBeGreaterThan(Date.now())
    expect(alarm).toBeLessThanOrEqual(lease)
    await runOnce(owner, run)
  })
})

it('a trigger that is deleted during a change returns not found to the caller of the change', async () => {
  const { id } = await begin(success())
  const queue = queueOf(id)
  const changed = queue.change(owner.id, { name: 'another' })
  await queue.remove(owner.id)
  expect(await changed).toBeUndefined()
})

it('a trigger that is deleted during a run stays deleted, without rows or alarm', async () => {
  const { id } = await begin(slow(200))
  const runs = [await fire(id), await fire(id)]
  await vi.waitUntil(async () => (await seen(runs[0]!)).length === 1)
  expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await runInDurableObject(queueOf(id), async (instance, state) => {
    await instance.alarm()
    const tables = state.storage.sql.exec(
      "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    expect(tables.toArray()).toEqual([])
    expect(await state.storage.getAlarm()).toBeNull()
  })
  expect((await owner.api(`/api/runs/${runs[0]!}`)).status).toBe(404)
})
