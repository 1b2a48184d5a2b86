import { runInDurableObject } from 'cloudflare:test'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { Deliveries } from '../../../edge/queue/deliveries.ts'
import { FiredLogs } from '../../../edge/queue/fired-logs.ts'
import { Intake } from '../../../edge/queue/intake.ts'
import { QueueSize } from '../../../edge/queue/queue-size.ts'
import { LogIntake } from '../../../edge/queue/log-intake.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  deleteTriggers,
  env,
  kill,
  queueOf,
  random,
  readRun,
  runOnce,
  script,
  seen,
  slow,
  someOwner,
  sql,
} from '../app.ts'
import { noSource } from './no-source.ts'
import { eventTriggersOf, HEAD, runIdOf, tell, TRANSFER, transfer, word } from './event-triggers.ts'
import { inObject, rulesOf } from './seeded.ts'

const owner = await someOwner()
afterAll(() => deleteTriggers(owner))
const { begin, runs, send, patch, values, marks } = eventTriggersOf(owner)
/** Prevents runs from starting. */
const HELD = {
  max_runs_per_minute: 1,
  options: { concurrency: 1 },
  action_code: script(slow(60_000)),
}

describe('a delivered log', () => {
  it('creates a run with the decoded event, which overrides default params', async () => {
    const { id } = await begin({ default_params: { mine: 1, event: 'mine' } })
    const log = transfer(7, 1_001)
    expect(await tell(id, [log])).toEqual({ state: 'taken', count: 1 })
    const run = await runOnce(owner, runIdOf(id, log))
    expect(run).toMatchObject({ status: 'success', test: false, replay_of: null, reorged: false })
    const { params } = (await seen(run.id))[0]!
    expect(params).toEqual(run.input)
    expect(params).toMatchObject({
      mine: 1,
      source: 'chain_event',
      event: {
        chain: 'arbitrum',
        chain_id: 42_161,
        contract_address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
        event_signature: 'Transfer(address,address,uint256)',
        topic0: TRANSFER,
        decode: 'exact',
        decoded: { arg2: '7' },
        block_number: 1_001,
        transaction_hash: log.transactionHash,
        log_index: 7,
        removed: false,
      },
    })
  })

  it('creates one run if repeated, even concurrently or after the object was killed', async () => {
    const { id } = await begin()
    const logs = [transfer(1, 1_001), transfer(2, 1_001)]
    await Promise.all([tell(id, logs), tell(id, logs), tell(id, logs.slice(1))])
    await kill(id)
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 2 })
    expect(await values(id)).toEqual([2, 1])
  })

  it('creates one run if its response was lost and it is delivered again', async () => {
    const { id } = await begin()
    const log = transfer(1, 1_001)
    await runInDurableObject(queueOf(id), (instance, state) => {
      const told = instance.deliverLogs({ generation: 1, lane: 'live', logs: [log] })
      told.catch(() => {})
      state.abort('killed')
    }).catch(() => {})
    expect(await tell(id, [log])).toEqual({ state: 'taken', count: 1 })
    expect(await values(id)).toEqual([1])
  })

  it('creates a separate run if it is the second identical one in a transaction', async () => {
    const { id } = await begin()
    const first = transfer(1, 1_001)
    await tell(id, [first, { ...first, logIndex: 9, ordinal: 1 }])
    expect(await values(id)).toEqual([1, 1])
  })

  it('keeps its decoding when the signature changes', async () => {
    const { id } = await begin()
    const log = transfer(5, 1_001)
    await tell(id, [log])
    const before = await runOnce(owner, runIdOf(id, log))
    const event_signature = 'Transfer(address indexed a, address indexed b, uint256 c)'
    const { config } = await (await owner.api(`/api/triggers/${id}`)).json<TriggerRecord>()
    expect((await patch(id, { config: { ...config, event_signature } })).status).toBe(200)
    expect((await readRun(owner, before.id)).input).toEqual(before.input)
    // The filter is unchanged, so the subscription continues.
    expect(await tell(id, [transfer(6, 1_002)])).toEqual({ state: 'taken', count: 1 })
  })

  it('can be replayed, and the replay is not marked by a reorg', async () => {
    const { id } = await begin()
    const log = transfer(5, 1_001)
    await tell(id, [log])
    const first = await runOnce(owner, runIdOf(id, log))
    const answer = await send(`/api/runs/${first.id}/replay`, {})
    const { run_id }: { run_id: string } = await answer.json()
    expect(await runOnce(owner, run_id)).toMatchObject({ input: first.input, replay_of: first.id })
    await tell(id, [], { reorgedAbove: 1_000 })
    expect(await marks(id)).toEqual([false, true])
  })
})

describe('a full queue', () => {
  it('accepts the first logs, and the others when they are delivered again and there is room', async () => {
    const { id } = await begin({ ...HELD, max_queued_runs: 2 })
    const logs = [1, 2, 3, 4].map((value) => transfer(value, 1_000 + value))
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 2 })
    // One run may have started since then and made room.
    await vi.waitUntil(async () => (await runs(id)).some(({ status }) => status === 'running'))
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 3 })
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 3 })
    expect(await values(id)).toEqual([3, 2, 1])
    // Known logs behind one without room have to wait, to keep the order.
    expect(await tell(id, [logs[3]!, logs[0]!])).toEqual({ state: 'taken', count: 0 })
  })

  it('still accepts reorg marks', async () => {
    const { id } = await begin({ ...HELD, max_queued_runs: 1 })
    await tell(id, [transfer(1, 1_001)])
    await vi.waitUntil(async () => (await runs(id))[0]!.status === 'running')
    await tell(id, [transfer(2, 1_002)])
    expect(await tell(id, [transfer(3, 1_002)], { reorgedAbove: 1_001 })).toEqual({
      state: 'taken',
      count: 0,
    })
    expect(await marks(id)).toEqual([true, false])
  })

  it('notifies the watcher once when it is half empty', async () => {
    const { id } = await begin({ max_queued_runs: 4 })
    await inObject(id, async ({ state, store, storage, sql: exec }) => {
      const live = new QueueSize()
      const told: string[] = []
      const nothing = () => {}
      const parts = {
        ...rulesOf({ state, store, sql: storage.sql }),
        state,
        store,
        queueSize: live,
        sync: async () => {},
        inserted: nothing,
        transaction: (work: () => void) => storage.transactionSync(work),
        committed: nothing,
      }
      const intake = new Intake({
        ...parts,
        deliveries: new Deliveries(exec),
        gate: noSource,
        now: Date.now,
        random,
        immediateStarts: () => undefined,
        adopt: () => {},
        expectDue: () => {},
      })
      const logs = new LogIntake({
        ...parts,
        intake,
        fired: new FiredLogs(exec),
        disable: (reason) => told.push(reason),
        chains: () => settingsOf(env).CHAINS,
        roomMade: ({ chain }, triggerId) => told.push(`${chain} ${triggerId}`),
      })
      const delivered = [1, 2, 3, 4, 5].map((value) => transfer(value, 1_001))
      const delivery = { generation: 1, lane: 'live', logs: delivered } as const
      expect(await logs.deliver(delivery)).toEqual({ state: 'taken', count: 4 })
      const left = () => {
        live.adjust(-1, 0)
        logs.notifyIfRoom()
      }
      left()
      expect(told).toEqual([])
      left()
      left()
      expect(told).toEqual([`arbitrum ${id}`])
      // The watcher is not notified unless logs were rejected before.
      expect(await logs.deliver(delivery)).toEqual({ state: 'taken', count: 5 })
      left()
      expect(told).toHaveLength(1)
    })
  })
})

describe('a backfill', () => {
  const backfill = async (id: string) =>
    (await (await owner.api(`/api/triggers/${id}`)).json<TriggerRecord>()).backfill
  const back = { lane: 'backfill' } as const

  it('shows its progress and its end', async () => {
    const record = await begin({}, { start_block: '0x384' })
    const { id } = record
    expect(record.backfill).toEqual({ from: 900, to: HEAD, at: 900, done: false })
    await tell(id, [], { ...back, backfillAt: 920 })
    expect(await backfill(id)).toMatchObject({ at: 920, done: false })
    await tell(id, [transfer(1, 950)], back)
    expect(await backfill(id)).toMatchObject({ at: 950 })
    await tell(id, [transfer(2, 960)], { ...back, backfillAt: null })
    expect(await backfill(id)).toEqual({ from: 900, to: HEAD, at: 1_001, done: true })
    expect(await values(id)).toEqual([2, 1])
  })

  it('rewinds only to the first log without room', async () => {
    const { id } = await begin({ ...HELD, max_queued_runs: 1 }, { start_block: 900 })
    const logs = [transfer(1, 910), transfer(2, 920)]
    expect(await tell(id, logs, { ...back, backfillAt: null })).toMatchObject({ count: 1 })
    expect(await backfill(id)).toMatchObject({ at: 920, done: false })
  })

  it('above the head is none: the trigger starts at its start block', async () => {
    const { id, backfill: none } = await begin({}, { start_block: 5_000 })
    expect(none).toBeUndefined()
    const [{ watch }] = (await sql<{ watch: string }>(id, 'SELECT watch FROM trigger')) as [
      { watch: string },
    ]
    expect(JSON.parse(watch)).toMatchObject({ since: 5_000, generation: 1 })
  })

  it('is not included in lists', async () => {
    const { id } = await begin({}, { start_block: 900 })
    const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    const listed = list.find((trigger) => trigger.id === id)!
    expect(listed).toMatchObject({ finality: 40, topic0: TRANSFER })
    expect(listed.backfill).toBeUndefined()
  })
})

describe('an outdated delivery', () => {
  it('of an earlier generation creates no run', async () => {
    const { id } = await begin()
    expect(await tell(id, [transfer(1, 1_001)], { generation: 0 })).toEqual({ state: 'over' })
    expect(await tell(id, [transfer(1, 1_001)], { generation: 2 })).toEqual({ state: 'over' })
    expect(await runs(id)).toEqual([])
  })

  it('to a disabled, deleted or unknown trigger creates no run', async () => {
    const { id } = await begin()
    await patch(id, { enabled: false })
    expect(await tell(id, [transfer(1, 1_001)])).toEqual({ state: 'over' })
    expect(await runs(id)).toEqual([])
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect(await tell(id, [transfer(1, 1_001)])).toEqual({ state: 'over' })
    expect(await tell('unknown', [transfer(1, 1_001)])).toEqual({ state: 'over' })
  })
})

describe('POST /api/triggers/:id/test of a chain event', () => {
  it('passes the event to the action unchanged', async () => {
    const { id } = await begin({ default_params: { mine: 1 } })
    const answer = await send(`/api/triggers/${id}/test`, { event: { decoded: { arg0: '1' } } })
    const { run_id }: { run_id: string } = await answer.json()
    const run = await runOnce(owner, run_id)
    const params = { mine: 1, source: 'chain_event', event: { decoded: { arg0: '1' } } }
    expect(run).toMatchObject({ status: 'success', test: true, input: params })
    expect((await seen(run_id))[0]!.params).toEqual(params)
  })
})

describe('a chain event with a filter', () => {
  it('starts runs only for events that match, and delivers each only once', async () => {
    const { id } = await begin({ options: { filter: 'int(event.decoded.arg2) > 2' } })
    const logs = [1, 2, 3, 4].map((value) => transfer(value, 1_001))
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 4 })
    expect(await tell(id, logs)).toEqual({ state: 'taken', count: 4 })
    expect(await values(id)).toEqual([4, 3])
    const fired = await sql(id, 'SELECT 1 FROM fired_logs')
    expect(fired).toHaveLength(2)
  })

  it('applies a new filter to logs that come again after a reorganization', async () => {
    const { id } = await begin({ options: { filter: 'int(event.decoded.arg2) > 2' } })
    await tell(id, [transfer(1, 1_001)])
    await patch(id, { options: { filter: 'int(event.decoded.arg2) < 2' } })
    await tell(id, [transfer(1, 1_002)], { reorgedAbove: 1_000 })
    expect(await values(id)).toEqual([1])
  })

  it('runs one of the logs with the same deduplication key', async () => {
    const { id } = await begin({ options: { dedup_key: 'event.transaction_hash' } })
    const transaction = { transactionHash: word(7) }
    await tell(id, [transfer(1, 1_001, transaction), transfer(2, 1_001, transaction)])
    await tell(id, [transfer(3, 1_002, transaction), transfer(4, 1_002)])
    expect(await values(id)).toEqual([4, 1])
  })
})
