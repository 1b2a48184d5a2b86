/**
 * The platform charges for each row and each index entry that is written, which is most of what a run costs
 * (`docs/scale.md`). Alarms are not counted here, because many runs may share one.
 */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { triggerParts } from '../../../edge/queue/trigger-parts.ts'
import type { Alarm } from '../../../edge/queue/alarm.ts'
import { MINUTE_MS } from '../../../shared/durations.ts'
import { HistoryPruner } from '../../../edge/queue/history-pruner.ts'
import {
  createTrigger,
  env,
  type Owner,
  queueOf,
  script,
  slow,
  someOwner,
  success,
} from '../app.ts'
import { watched } from './seeded.ts'

const firing = JSON.stringify({ source: 'webhook', receivedAt: 0, headers: {}, query: {} })
const body = new TextEncoder().encode('{"event":"push"}')

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

type Counted = {
  /** Counts what it writes. */
  storage: DurableObjectStorage
  alarm: Alarm
  /** Rows that were written since the last call. */
  rows: () => number
  fire: () => Promise<void>
  /** Resolves when all runs have ended. */
  ended: () => Promise<void>
}

/** Runs the parts of a trigger's object over storage that counts the written rows. */
async function counted(over: object, test: (of: Counted) => Promise<void>): Promise<void> {
  const { id } = await createTrigger(owner, { max_runs_per_minute: 6_000, ...over })
  await runInDurableObject(queueOf(id), async (_, state) => {
    // The object's own parts must not use the storage.
    await state.storage.deleteAlarm()
    const { storage, rowsWritten } = watched(state.storage)
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
    const parts = triggerParts({ storage, waitUntil } as unknown as DurableObjectState, env)
    await parts.alarm.load()
    parts.state.load()
    parts.queueSize.load(parts.store.queuedTotals())
    let before = rowsWritten()
    const rows = () => {
      const written = rowsWritten() - before
      before = rowsWritten()
      return written
    }
    const { sql } = state.storage
    const live = () => sql.exec('SELECT 1 FROM runs WHERE finished_at IS NULL').toArray().length
    const fire = async () => {
      expect(await parts.intake.accept({ firing, body })).toMatchObject({ state: 'queued' })
    }
    const ended = () => vi.waitUntil(() => live() === 0, { timeout: 20_000, interval: 5 })
    // The first run verifies the origin.
    await fire()
    await ended()
    rows()
    await test({ storage, alarm: parts.alarm, rows, fire, ended: async () => void (await ended()) })
  })
}

describe('a run of a webhook writes', () => {
  it('three rows when it is accepted and starts at once, one for its start time, and one when it ends', () =>
    counted({ action_code: script(success()) }, async ({ rows, fire, ended }) => {
      for (let n = 0; n < 20; n++) {
        await fire()
        await ended()
      }
      expect(rows()).toBe(20 * 5)
    }))

  it('one alarm if none is set for the next seconds', () =>
    counted({ action_code: script(success()) }, async ({ storage, alarm, fire, ended }) => {
      alarm.runTasks(Date.now() + MINUTE_MS)
      const set = vi.spyOn(storage, 'setAlarm')
      await fire()
      await ended()
      expect(set).toHaveBeenCalledTimes(1)
    }))

  it('two more rows if it has to wait in the queue', () =>
    counted(
      { action_code: script(slow(50)), options: { concurrency: 1 } },
      async ({ rows, fire, ended }) => {
        for (let n = 0; n < 11; n++) await fire()
        await ended()
        // The first run does not wait.
        expect(rows()).toBeLessThanOrEqual(5 + 10 * 7)
      },
    ))

  it('one row when retention deletes it', () =>
    counted({ action_code: script(success()) }, async ({ storage: { sql }, rows, fire, ended }) => {
      for (let n = 0; n < 5; n++) {
        await fire()
        await ended()
      }
      rows()
      const { last } = sql.exec<{ last: number }>('SELECT max(sequence) AS last FROM runs').one()
      new HistoryPruner(sql).drop(1, last)
      expect(rows()).toBe(last)
    }))

  it('one more row if its result is large', () =>
    counted(
      { action_code: script(success('x'.repeat(100_000))) },
      async ({ storage: { sql }, rows, fire, ended }) => {
        await fire()
        await ended()
        expect(rows()).toBe(6)
        expect(sql.exec('SELECT 1 FROM results').toArray()).toHaveLength(2)
      },
    ))
})
