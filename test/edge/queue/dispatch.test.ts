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
  it('that succeeds has the value, its logs, its times, and used one attempt', async () => {
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

  it('that throws failed with the stack, and is not run again', async () => {
    const stack = 'Error: no\n    at main (action.js:3:9)'
    const { id } = await begin({
      outcome: { ...failure, code: 'action_threw', message: 'no', stack },
    })
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'failed', response: null, error: stack, logs, attempt: 1 })
    expect(await seen(run.id)).toHaveLength(1)
  })

  it.each(['out_of_credits', 'spend_cap_reached', 'failed_execution_allowance'])(
    'that was stopped on its way, %s, failed and waits for nothing',
    async (code) => {
      const outcome = { ...failure, code, message: 'Stopped after 3 s.', stack: '' }
      const { id } = await begin({ outcome })
      const run = await runOnce(owner, await fire(id))
      const stopped = { status: 'failed', error: `${code}: Stopped after 3 s.`, logs, attempt: 1 }
      expect(run).toMatchObject({ ...stopped, charged_cents: 0, waiting_for: null })
      expect(await seen(run.id)).toHaveLength(1)
    },
  )

  it('shows the receipt that the origin signed of it, whether it succeeded or failed', async () => {
    const receipt = 'header.payload.signature'
    const stopped = { ...failure, code: 'action_threw', message: 'no', stack: '' }
    for (const outcome of [success().outcome, stopped]) {
      const { id } = await begin({ outcome: { ...outcome, receipt } })
      expect((await runOnce(owner, await fire(id))).receipt).toBe(receipt)
    }
  })

  it('has no receipt where nobody signed one: null, before its end too', async () => {
    const lost = { ...failure, code: 'origin_lost', message: 'gone', stack: '' }
    const { id } = await begin({ outcome: lost, after_ms: 300 })
    const run = await fire(id)
    expect((await readRun(owner, run)).receipt).toBeNull()
    expect((await runOnce(owner, run)).receipt).toBeNull()
  })

  it('is seen as running while the origin has it', async () => {
    const { id } = await begin(slow(300))
    const run = await fire(id)
    const running = await runOnce(owner, run, ({ status }) => status === 'running')
    expect(running).toMatchObject({ finished_at: null, attempt: 1, charged_cents: 0 })
    expect((await runOnce(owner, run)).status).toBe('success')
  })

  it('carries the usage key to the origin sealed: what the origin opens is what the owner gave', async () => {
    const { id } = await createTrigger(owner, { usage_api_key: 'key-for-this-trigger' })
    const run = await runOnce(owner, await fire(id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'key-for-this-trigger' }])
  })
})

it('of a trigger that would rather run twice than not at all says so to the origin', async () => {
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

describe('a connection that breaks', () => {
  it('after the run was executed: it ends with that outcome, executed once', async () => {
    const { id } = await begin({ break: true, ran: success('from before').outcome })
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'success', response: 'from before' })
    expect(await seen(run.id)).toHaveLength(1)
  })

  it('before it was: the run is sent again', async () => {
    const { id } = await begin({ break: true }, success('second'))
    const run = await runOnce(owner, await fire(id))
    expect(run).toMatchObject({ status: 'success', response: 'second' })
    expect(await seen(run.id)).toHaveLength(2)
  })
})

it('a proxy in between: an answer in the clear ends no run, not even with status 200', async () => {
  const { id } = await begin({ unsealed: 200 }, success('from the origin'))
  const run = await runOnce(owner, await fire(id))
  expect(run).toMatchObject({ status: 'success', response: 'from the origin' })
})

it('an origin without room is left alone as long as it asks, and the attempt is not used', async () => {
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
  'refused with %i %s %s, the run and its trigger wait for: %s',
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

it('a PATCH of the usage key, also with the same one, looks at once whether its cap was raised', async () => {
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

it('a failure of the network is sent again when its time has come, by the alarm', async () => {
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

it('twelve slow runs go over four connections at most', async () => {
  let open = 0
  let most = 0
  const send = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    // Of the origin alone: watchers of chains, which other tests left, ask their nodes.
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

it('a noisy neighbour: slow runs of one trigger leave the start of another alone', async () => {
  const [noisy, quiet] = [await begin(slow(1_000)), await begin(success('quick'))]
  const slowRuns = await Promise.all(Array.from({ length: 12 }, () => fire(noisy.id)))
  const run = await runOnce(owner, await fire(quiet.id))
  expect(run.status).toBe('success')
  expect((await readRun(owner, slowRuns[11]!)).finished_at).toBeNull()
  await runOnce(owner, slowRuns[11]!)
})

describe('an object that is killed', () => {
  it('in the middle of a run takes it up at its alarm; the run ends once', async () => {
    const { id } = await begin(slow(400))
    const run = await fire(id)
    await vi.waitUntil(async () => (await seen(run)).length === 1)
    await kill(id)
    await runDurableObjectAlarm(queueOf(id))
    expect(await runOnce(owner, run)).toMatchObject({ status: 'success', attempt: 1 })
    expect(await seen(run)).toHaveLength(1)
  })

  it('right after the 202 starts the run by its alarm, without another request', async () => {
    const { id } = await begin(success('woken'))
    const run = await fire(id)
    await kill(id)
    await vi.waitUntil(async () => (await seen(run)).length > 0, { timeout: 5_000 })
    expect((await runOnce(owner, run)).status).toBe('success')
  })
})

describe('the alarm', () => {
  it('never throws, even when the storage fails, and comes again', async () => {
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

  it('is armed for the lease before the run is sent', async () => {
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

it('a trigger deleted while its change is told to the index is unknown to who changed it', async () => {
  const { id } = await begin(success())
  const queue = queueOf(id)
  const changed = queue.change(owner.id, { name: 'another' })
  await queue.remove(owner.id)
  expect(await changed).toBeUndefined()
})

it('a trigger deleted while a run is under way stays deleted: no row, no alarm, no second life', async () => {
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
