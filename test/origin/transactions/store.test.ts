import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { processes, transactions } from '../../../origin/db/schema.ts'
import { LaneLeases } from '../../../origin/transactions/lane-leases.ts'
import type { Progress } from '../../../origin/transactions/save-progress.ts'
import { type NewTransaction, TransactionStore } from '../../../origin/transactions/store.ts'
import { openFresh } from '../db/fresh-database.ts'
import { attemptOf, progressOf } from './stored-parts.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
})
afterEach(() => database.close())

const LANE = { chainId: 1, address: `0x${'11'.repeat(20)}` }

/** Sets the lease of a process, relative to the database's clock. */
const lease = (id: string, seconds: number) => {
  const until = { leaseUntil: sql`clock_timestamp() + ${seconds} * interval '1 second'` }
  return database.db
    .insert(processes)
    .values({ id, startedAt: new Date(), heartbeatAt: new Date(), ...until })
    .onConflictDoUpdate({ target: processes.id, set: until })
}
const leasesOf = (processId: string, predecessor?: string) =>
  new LaneLeases({ db: database.db, processId, predecessor })
const storeOf = (processId: string, now = Date.now) =>
  new TransactionStore({ db: database.db, processId, now })

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
const newTransaction = (id: string): NewTransaction => ({
  ...LANE,
  id,
  accountHash: '0xaa',
  pkpId: '0xbb',
  requestHash: 'cc',
  to: hex(20),
  data: '0x',
  value: 2n ** 200n,
  speed: 'normal',
  errors: [],
  keyHash: '0xdd',
  actionCid: 'Qm',
})
const rowOf = async (id: string) =>
  (await database.db.select().from(transactions).where(eq(transactions.id, id)))[0]!

describe('the lease on a lane', () => {
  it('is granted to one of two processes, and to its holder again', async () => {
    await lease('a', 60)
    await lease('b', 60)
    expect(await leasesOf('a').acquire(LANE)).toBe(true)
    expect(await leasesOf('b').acquire(LANE)).toBe(false)
    expect(await leasesOf('a').acquire(LANE)).toBe(true)
  })

  it('is granted to only one of many processes that contend for it', async () => {
    const ids = Array.from({ length: 8 }, (_, n) => `p${n}`)
    for (const id of ids) await lease(id, 60)
    const granted = await Promise.all(ids.map((id) => leasesOf(id).acquire(LANE)))
    expect(granted.filter(Boolean)).toHaveLength(1)
  })

  it('is not granted to a process whose own lease has ended', async () => {
    await lease('a', -1)
    expect(await leasesOf('a').acquire(LANE)).toBe(false)
    expect(await leasesOf('unknown').acquire(LANE)).toBe(false)
  })

  it('ends with the lease of its process, at once for a successor, and when it is released', async () => {
    await lease('a', 60)
    await lease('b', 60)
    await leasesOf('a').acquire(LANE)
    expect(await leasesOf('b', 'a').acquire(LANE)).toBe(true)
    expect(await leasesOf('a').acquire(LANE)).toBe(false)
    await lease('b', -1)
    expect(await leasesOf('a').acquire(LANE)).toBe(true)
    await leasesOf('b').release(LANE)
    await lease('b', 60)
    expect(await leasesOf('b').acquire(LANE)).toBe(false)
    await leasesOf('a').release(LANE)
    expect(await leasesOf('b').acquire(LANE)).toBe(true)
  })

  it('of a dead process is acquired only if transactions are open', async () => {
    await lease('dead', 60)
    await lease('b', 60)
    await leasesOf('dead').acquire(LANE)
    await leasesOf('dead').acquire({ ...LANE, chainId: 2 })
    await storeOf('dead').insert(newTransaction('tx_1'), 'owner')
    expect(await leasesOf('b').acquireAbandoned([1, 2])).toEqual([])
    await lease('dead', -1)
    expect(await leasesOf('b').acquireAbandoned([2])).toEqual([])
    expect(await leasesOf('b').acquireAbandoned([1, 2])).toEqual([LANE])
  })
})

describe('the store', () => {
  beforeEach(async () => {
    await lease('a', 60)
    await leasesOf('a').acquire(LANE)
  })

  it('inserts an ID once, also if it is twice in a batch', async () => {
    const store = storeOf('a')
    const rows = await Promise.all(
      ['tx_1', 'tx_1', 'tx_2'].map((id) => store.insert(newTransaction(id), 'owner')),
    )
    expect(rows.map((row) => (typeof row === 'string' ? row : row.id))).toEqual([
      'tx_1',
      'exists',
      'tx_2',
    ])
    expect(await store.insert(newTransaction('tx_2'), 'owner')).toBe('exists')
    expect((await store.find('tx_2'))?.value).toBe(2n ** 200n)
    expect(await store.countOpen(LANE)).toBe(2)
  })

  it('records no attempt after another process has taken the lane', async () => {
    const store = storeOf('a')
    await store.insert(newTransaction('tx_1'), 'owner')
    await lease('b', 60)
    await lease('a', -1)
    expect(await store.recordAttempts(LANE, [attemptOf('tx_1', 0)])).toBe('lane_lost')
    await leasesOf('b').acquire(LANE)
    await lease('a', 60)
    expect(await store.recordAttempts(LANE, [attemptOf('tx_1', 0)])).toBe('lane_lost')
    expect(await rowOf('tx_1')).toMatchObject({ state: 'queued', nonce: null })
    expect((await store.attemptsOf(['tx_1'])).size).toBe(0)
  })

  it('records all attempts or none, if one transaction was cancelled in between', async () => {
    const store = storeOf('a')
    for (const id of ['tx_1', 'tx_2']) await store.insert(newTransaction(id), 'owner')
    await store.requestCancel('tx_1')
    const both = [attemptOf('tx_1', 0), attemptOf('tx_2', 1)]
    expect(await store.recordAttempts(LANE, both)).toBe('changed')
    expect(await rowOf('tx_1')).toMatchObject({ state: 'cancelled', nonce: null })
    expect((await rowOf('tx_1')).endedAt).not.toBeNull()
    expect(await rowOf('tx_2')).toMatchObject({ state: 'queued', nonce: null })
    expect(await store.recordAttempts(LANE, [attemptOf('tx_2', 0)])).toBe('recorded')
    expect(await rowOf('tx_2')).toMatchObject({ state: 'signed', nonce: 0, gasLimit: 21_000n })
  })

  it('records no attempt before those of earlier transactions that other processes have inserted', async () => {
    const store = storeOf('a')
    for (const id of ['tx_1', 'tx_2', 'tx_3']) await store.insert(newTransaction(id), 'owner')
    expect(await store.recordAttempts(LANE, [attemptOf('tx_3', 0)], ['tx_2'])).toBe('changed')
    const rejected = ['tx_1', 'tx_2']
    expect(await store.recordAttempts(LANE, [attemptOf('tx_3', 0)], rejected)).toBe('recorded')
    const both = [attemptOf('tx_1', 1), attemptOf('tx_2', 2)]
    expect(await store.recordAttempts(LANE, both)).toBe('recorded')
  })

  it('never gives two transactions of a lane the same nonce', async () => {
    const store = storeOf('a')
    for (const id of ['tx_1', 'tx_2']) await store.insert(newTransaction(id), 'owner')
    await store.recordAttempts(LANE, [attemptOf('tx_1', 0)])
    await expect(store.recordAttempts(LANE, [attemptOf('tx_2', 0)])).rejects.toThrow()
    expect(await rowOf('tx_2')).toMatchObject({ state: 'queued', nonce: null })
  })

  it('double effect: never gives a transaction a nonce twice, although an attempt was recorded unnoticed', async () => {
    const store = storeOf('a')
    await store.insert(newTransaction('tx_1'), 'owner')
    await store.recordAttempts(LANE, [attemptOf('tx_1', 0)])
    const next = (nonce: number) => attemptOf('tx_1', nonce, { isFirst: false, knownNonce: 0 })
    expect(await store.recordAttempts(LANE, [next(5)])).toBe('recorded')
    expect(await store.recordAttempts(LANE, [next(6)])).toBe('changed')
    expect(await rowOf('tx_1')).toMatchObject({ nonce: 5 })
    expect((await store.attemptsOf(['tx_1'])).get('tx_1')).toHaveLength(2)
  })

  it('saves progress, and ignores updates from before a signature or after the end', async () => {
    const store = storeOf('a')
    await store.insert(newTransaction('tx_1'), 'owner')
    const save = (more: Partial<Progress>) =>
      store.save({ ...LANE, id: 'tx_1', progress: progressOf(more) })
    expect(await save({ state: 'queued', waitingFor: 'order' })).toBe('saved')
    expect(await rowOf('tx_1')).toMatchObject({ state: 'queued', waitingFor: 'order' })
    await store.recordAttempts(LANE, [attemptOf('tx_1', 0)])
    expect(await save({ state: 'queued', waitingFor: 'order' })).toBe('stale')
    const mined = { minedHash: '0x1', minedBlock: 7, minedBlockHash: '0x2', gasUsed: 21_000n }
    const saved = await Promise.all([save({}), save({ state: 'mined', ...mined })])
    expect(saved).toEqual(['saved', 'saved'])
    expect(await rowOf('tx_1')).toMatchObject({ state: 'mined', waitingFor: null, ...mined })
    expect(await save({ state: 'final', ...mined, hasEnded: true })).toBe('saved')
    expect(await save({ state: 'broadcast' })).toBe('stale')
    const row = await rowOf('tx_1')
    expect(row).toMatchObject({ state: 'final', ...mined })
    expect(row.endedAt).not.toBeNull()
  })

  it('saves no progress after another process has taken the lane', async () => {
    const store = storeOf('a')
    await store.insert(newTransaction('tx_1'), 'owner')
    await lease('a', -1)
    const update = {
      ...LANE,
      id: 'tx_1',
      progress: progressOf({ state: 'failed', hasEnded: true }),
    }
    expect(await store.save(update)).toBe('lane_lost')
    expect(await rowOf('tx_1')).toMatchObject({ state: 'queued' })
  })

  it('requests the cancellation of a signed transaction, and higher fees, from the holder', async () => {
    const store = storeOf('a')
    for (const id of ['tx_1', 'tx_2', 'tx_3']) await store.insert(newTransaction(id), 'owner')
    await store.recordAttempts(LANE, [
      attemptOf('tx_1', 0),
      attemptOf('tx_2', 1),
      attemptOf('tx_3', 2),
    ])
    await storeOf('b').requestCancel('tx_1')
    await storeOf('b').requestSpeedUp('tx_2', 9n)
    expect(await rowOf('tx_1')).toMatchObject({ state: 'signed', endedAt: null })
    expect((await store.work([1])).map(({ id }) => id)).toEqual(['tx_1', 'tx_2'])
    expect(await store.work([2])).toEqual([])
    expect(await storeOf('b').work([1])).toEqual([])
    // It is read every second, and the data of many transactions is large.
    expect(Object.keys((await store.work([1]))[0]!)).not.toContain('data')
    expect((await store.rowsOf(['tx_2', 'tx_1'])).map(({ id }) => id)).toEqual(['tx_1', 'tx_2'])
    const { speedUpRequestedAt, maxFeePerGas } = await rowOf('tx_2')
    expect(maxFeePerGas).toBe(9n)
    await store.clearSpeedUp('tx_2', speedUpRequestedAt!)
    expect((await store.work([1])).map(({ id }) => id)).toEqual(['tx_1'])
  })

  it('loads open transactions in order, with their attempts, and the last nonce that has ended', async () => {
    const store = storeOf('a')
    for (const id of ['tx_1', 'tx_2', 'tx_3']) await store.insert(newTransaction(id), 'owner')
    await store.recordAttempts(LANE, [attemptOf('tx_1', 4), attemptOf('tx_2', 5)])
    await store.recordAttempts(LANE, [
      attemptOf('tx_2', 5, { isFirst: false, kind: 'speed_up', maxFeePerGas: 4n }),
    ])
    await store.save({
      ...LANE,
      id: 'tx_1',
      progress: progressOf({ state: 'final', minedHash: '0x1', hasEnded: true }),
    })
    const { rows, attempts, lastEndedNonce } = await store.loadLane(LANE)
    expect(rows.map(({ id }) => id)).toEqual(['tx_2', 'tx_3'])
    expect(attempts.map(({ kind, raw }) => [kind, raw])).toEqual([
      ['send', ''],
      ['speed_up', '0x02'],
    ])
    expect(lastEndedNonce).toBe(4)
    expect(await store.reopen(LANE, [4])).toBe(1)
    expect(await rowOf('tx_1')).toMatchObject({
      state: 'broadcast',
      minedHash: null,
      endedAt: null,
    })
  })

  it('returns attempts as they were signed, although the clocks of their processes differ', async () => {
    const store = storeOf('a')
    await store.insert(newTransaction('tx_1'), 'owner')
    const raised = { isFirst: false, kind: 'speed_up', maxFeePerGas: 4n } as const
    const signed = [
      attemptOf('tx_1', 0),
      attemptOf('tx_1', 0, raised),
      attemptOf('tx_1', 1, { ...raised, kind: 'cancel', maxFeePerGas: 2n, knownNonce: 0 }),
    ]
    for (const [at, attempt] of signed.entries()) {
      const earlierAndEarlier = storeOf('a', () => Date.now() - 60_000 * at)
      expect(await earlierAndEarlier.recordAttempts(LANE, [attempt])).toBe('recorded')
    }
    const { attempts } = await store.loadLane(LANE)
    expect(attempts.map(({ hash }) => hash)).toEqual(signed.map(({ hash }) => hash))
  })

  it('inserts a signed transaction that fills a gap', async () => {
    const store = storeOf('a')
    const filler = attemptOf('tx_1', 3, { kind: 'cancel' })
    expect(await store.insertSigned(newTransaction('tx_1'), filler)).toBe('recorded')
    expect(await rowOf('tx_1')).toMatchObject({ state: 'signed', nonce: 3 })
    expect(await store.insertSigned(newTransaction('tx_2'), filler)).toBe('changed')
    await lease('a', -1)
    const next = { ...filler, nonce: 4 }
    expect(await store.insertSigned(newTransaction('tx_2'), next)).toBe('lane_lost')
  })
})
