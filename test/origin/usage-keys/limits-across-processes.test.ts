/** Rates and concurrency of usage keys in several origin processes with one database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { processes, usageKeyLimits } from '../../../origin/db/schema.ts'
import { HEARTBEAT_LOST_MS } from '../../../origin/runs/claims.ts'
import { KeyConcurrency } from '../../../origin/usage-keys/key-concurrency.ts'
import { KeyConcurrencyError, KeyRateError } from '../../../origin/usage-keys/key-limits.ts'
import { KeyRate } from '../../../origin/usage-keys/key-rate.ts'
import { UsageKeyLimits } from '../../../origin/usage-keys/usage-key-limits.ts'
import { openFresh } from '../db/fresh-database.ts'
import { KEY, PRINCIPAL } from './limit-process.ts'

const MINUTE_MS = 60_000

let database: OpenDatabase
let limits: UsageKeyLimits
let now: number
beforeEach(async () => {
  database = await openFresh()
  now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  limits = new UsageKeyLimits({ db: database.db, now: () => now })
})
afterEach(() => database.close())

/** Number of fulfilled promises. Every other one must be rejected with this error. */
async function fulfilled(
  promises: (Promise<unknown> | undefined)[],
  error: typeof KeyRateError | typeof KeyConcurrencyError,
) {
  const results = await Promise.allSettled(promises.map((promise) => Promise.resolve(promise)))
  const rejected = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of rejected) expect(reason).toBeInstanceOf(error)
  return results.length - rejected.length
}

const times = <Value>(count: number, make: () => Value) => Array.from({ length: count }, make)

describe('the rate of a key', () => {
  const rate = (at = () => now) => new KeyRate({ db: database.db, limits, now: at })

  it('attack: parallel requests to two processes cannot exceed it', async () => {
    await limits.change(KEY, { maxRequestsPerMinute: 7 })
    const [one, other] = [rate(), rate()]
    const taken = times(20, () => [one.take(PRINCIPAL), other.take(PRINCIPAL)]).flat()
    expect(await fulfilled(taken, KeyRateError)).toBe(7)
    now += MINUTE_MS
    await one.take(PRINCIPAL)
  })

  it('grants all of a high limit to one process', async () => {
    await limits.change(KEY, { maxRequestsPerMinute: 950 })
    const one = rate()
    expect(
      await fulfilled(
        times(1_000, () => one.take(PRINCIPAL)),
        KeyRateError,
      ),
    ).toBe(950)
  })

  it('attack: a process whose clock is behind does not count again', async () => {
    await limits.change(KEY, { maxRequestsPerMinute: 2 })
    const [one, behind] = [rate(), rate(() => now - 30_000)]
    await one.take(PRINCIPAL)
    expect(
      await fulfilled(
        times(5, () => behind.take(PRINCIPAL)),
        KeyRateError,
      ),
    ).toBe(1)
    expect(
      await fulfilled(
        times(5, () => one.take(PRINCIPAL)),
        KeyRateError,
      ),
    ).toBe(0)
  })

  it('asks the database no more in a minute in which it is exhausted', async () => {
    await limits.change(KEY, { maxRequestsPerMinute: 1 })
    const one = rate()
    expect(
      await fulfilled(
        times(2, () => one.take(PRINCIPAL)),
        KeyRateError,
      ),
    ).toBe(1)
    await database.db.update(usageKeyLimits).set({ requests: 0 })
    expect(
      await fulfilled(
        times(3, () => one.take(PRINCIPAL)),
        KeyRateError,
      ),
    ).toBe(0)
  })

  it('asks the database nothing for a key without the limit', () => {
    expect(rate().take(PRINCIPAL)).toBeUndefined()
  })
})

describe('the concurrency of a key', () => {
  const startProcess = async (processId: string) => {
    const at = new Date(now)
    const row = { id: processId, startedAt: at, heartbeatAt: at, leaseUntil: at }
    await database.db.insert(processes).values(row)
    const failed = (error: unknown) => expect.unreachable(String(error))
    const common = { db: database.db, limits, now: () => now, onFailure: failed }
    return new KeyConcurrency({ ...common, processId })
  }
  const stored = async () => (await database.db.select().from(usageKeyLimits))[0]?.running

  it('attack: parallel runs in two processes cannot exceed it', async () => {
    await limits.change(KEY, { maxConcurrent: 3 })
    const [one, other] = [await startProcess('one'), await startProcess('other')]
    const started = times(10, () => [one.start(PRINCIPAL), other.start(PRINCIPAL)]).flat()
    expect(await fulfilled(started, KeyConcurrencyError)).toBe(3)
  })

  it('is free again for another process when a run ends, once', async () => {
    await limits.change(KEY, { maxConcurrent: 1 })
    const [one, other] = [await startProcess('one'), await startProcess('other')]
    const slot = await one.start(PRINCIPAL)
    await expect(other.start(PRINCIPAL)).rejects.toThrow(KeyConcurrencyError)
    slot!.release()
    slot!.release()
    await expect.poll(stored).toEqual({})
    const next = await other.start(PRINCIPAL)
    expect(await stored()).toEqual({ other: 1 })
    await expect(one.start(PRINCIPAL)).rejects.toThrow(KeyConcurrencyError)
    next!.release()
    await expect.poll(stored).toEqual({})
  })

  it('attack: a run that arrives while the end of the last one is written does not raise it', async () => {
    await limits.change(KEY, { maxConcurrent: 1 })
    const one = await startProcess('one')
    const first = await one.start(PRINCIPAL)
    first!.release()
    const second = await one.start(PRINCIPAL)
    await expect(one.start(PRINCIPAL)).rejects.toThrow(KeyConcurrencyError)
    second!.release()
    await expect.poll(stored).toEqual({})
  })

  it('does not count the runs of a process that has died', async () => {
    await limits.change(KEY, { maxConcurrent: 1 })
    const [dead, other] = [await startProcess('dead'), await startProcess('other')]
    await dead.start(PRINCIPAL)
    await expect(other.start(PRINCIPAL)).rejects.toThrow(KeyConcurrencyError)
    now += HEARTBEAT_LOST_MS + 1
    await other.start(PRINCIPAL)
  })

  it('applies a lowered limit to the next run', async () => {
    await limits.change(KEY, { maxConcurrent: 2 })
    const one = await startProcess('one')
    const first = await one.start(PRINCIPAL)
    await limits.change(KEY, { maxConcurrent: 1 })
    await expect(one.start(PRINCIPAL)).rejects.toThrow(KeyConcurrencyError)
    first!.release()
    await one.start(PRINCIPAL)
  })
})
