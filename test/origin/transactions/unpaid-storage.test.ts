/** Attacks that fill the database with transactions for which no gas is paid. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eq, sql } from 'drizzle-orm'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { processes, transactions } from '../../../origin/db/schema.ts'
import { LaneLeases } from '../../../origin/transactions/lane-leases.ts'
import type { NewAttempt } from '../../../origin/transactions/record-attempts.ts'
import type { Progress } from '../../../origin/transactions/save-progress.ts'
import { type NewTransaction, TransactionStore } from '../../../origin/transactions/store.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import {
  LISTED_DATA_MAX_BYTES,
  TRANSACTION_DATA_RETENTION_DAYS,
  UNPAID_TRANSACTION_DATA_MAX_BYTES,
  UNSIGNED_TRANSACTIONS_PER_DAY,
} from '../../../shared/limits.ts'
import { openFresh } from '../db/fresh-database.ts'
import { attemptOf, progressOf } from './stored-parts.ts'

const LANE = { chainId: 1, address: `0x${'11'.repeat(20)}` }
const ACCOUNT = '0xaa'
const KIB = 1024
const LARGE = 64 * KIB

let database: OpenDatabase
let aheadMs: number
let store: TransactionStore
beforeEach(async () => {
  aheadMs = 0
  database = await openFresh()
  store = storeOf('a')
  await database.db.insert(processes).values({
    id: 'a',
    startedAt: new Date(),
    heartbeatAt: new Date(),
    leaseUntil: sql`clock_timestamp() + interval '1 hour'`,
  })
  await new LaneLeases({ db: database.db, processId: 'a' }).acquire(LANE)
})
afterEach(() => database.close())

const storeOf = (processId: string) =>
  new TransactionStore({ db: database.db, processId, now: () => Date.now() + aheadMs })

let count = 0
const newTransaction = (bytes: number, more: Partial<NewTransaction> = {}): NewTransaction => ({
  ...LANE,
  id: `tx_${count++}`,
  accountHash: ACCOUNT,
  pkpId: '0xbb',
  requestHash: 'cc',
  to: LANE.address,
  data: `0x${'ab'.repeat(bytes)}`,
  value: 0n,
  speed: 'normal',
  errors: [],
  keyHash: '0xdd',
  actionCid: 'Qm',
  ...more,
})

/** Requests a transaction. @returns its ID, or the limit that it exceeds */
async function request(
  bytes: number,
  { by = 'owner', through = store, ...more }: Options = {},
): Promise<string> {
  const inserted = await through.insert(newTransaction(bytes, more), by)
  return typeof inserted === 'string' ? inserted : inserted.id
}
type Options = Partial<NewTransaction> & {
  by?: 'owner' | 'usage key'
  through?: TransactionStore
}

/** Fills the data of the account except for this many bytes, with one row. */
async function fillExcept(bytes: number): Promise<string> {
  const id = await request(2 * KIB)
  const largeBytes = UNPAID_TRANSACTION_DATA_MAX_BYTES.account - bytes
  await database.db.update(transactions).set({ largeBytes }).where(eq(transactions.id, id))
  return id
}

const end = (id: string, progress: Partial<Progress>) =>
  store.save({ ...LANE, id, progress: progressOf({ ...progress, hasEnded: true }) })

const sign = (id: string, nonce: number, more: Partial<NewAttempt> = {}) =>
  store.recordAttempts(LANE, [attemptOf(id, nonce, more)])

const rowOf = async (id: string) => (await store.find(id))!

describe('storage exhaustion by large data', () => {
  it('through two processes: stops at the limit of the account', async () => {
    await fillExcept(2 * LARGE)
    const stores = [storeOf('a'), storeOf('b')]
    const answers: string[] = []
    for (let n = 0; n < 4; n++) answers.push(await request(LARGE, { through: stores[n % 2]! }))
    expect(answers).toEqual([
      expect.stringMatching(/^tx_/),
      expect.stringMatching(/^tx_/),
      'data',
      'data',
    ])
  })

  it('by many requests at the same time: stops at the limit of the account', async () => {
    await fillExcept(2 * LARGE)
    const answers = await Promise.all(Array.from({ length: 8 }, () => request(LARGE)))
    // The first one is a batch of its own, and the others share the next one.
    expect(answers.filter((answer) => answer === 'data')).toHaveLength(6)
  })

  it('by signatures of errors: counts them like data', async () => {
    await fillExcept(LARGE)
    expect(await request(0, { errors: ['e'.repeat(LARGE + 1)] })).toBe('data')
  })

  it('by rejected and cancelled transactions: counts them after their end', async () => {
    const id = await fillExcept(KIB)
    await end(id, { state: 'failed', failureCode: 'would_revert' })
    expect(await request(LARGE)).toBe('data')
  })

  it('by transactions that are cancelled on the chain: counts them, because no gas was paid for their data', async () => {
    const id = await fillExcept(KIB)
    await sign(id, 0)
    await end(id, { state: 'cancelled', minedHash: '0x1', minedBlock: 1, minedBlockHash: '0x2' })
    expect(await request(LARGE)).toBe('data')
  })

  it('by a usage key: leaves a third to the owner', async () => {
    await fillExcept(4 * KIB * KIB)
    expect(await request(LARGE, { by: 'usage key' })).toBe('data')
    expect(await request(LARGE)).toMatch(/^tx_/)
  })

  it('by raising the fees: keeps the bytes of the latest attempt only', async () => {
    const id = await request(LARGE)
    await sign(id, 0)
    const raised = { isFirst: false, kind: 'speed_up' as const }
    for (const maxFeePerGas of [4n, 5n]) {
      // The clock of the next process is behind.
      aheadMs -= 60_000
      await sign(id, 0, { ...raised, maxFeePerGas, raw: `0x0${maxFeePerGas}` })
    }
    const attempts = (await store.attemptsOf([id])).get(id)!
    expect(attempts.map(({ raw }) => raw)).toEqual(['', '', '0x05'])
  })

  it('in runs: is limited like other requests', async () => {
    await fillExcept(KIB)
    expect(await request(LARGE, { runId: 'run', step: 0 })).toBe('data')
  })
})

describe('the limit of large data', () => {
  it('does not count other accounts, small data, and data that is in a final block', async () => {
    const id = await fillExcept(0)
    expect(await request(LARGE, { accountHash: '0xee' })).toMatch(/^tx_/)
    expect(await request(LISTED_DATA_MAX_BYTES)).toMatch(/^tx_/)
    expect(await request(LISTED_DATA_MAX_BYTES + 1)).toBe('data')
    await sign(id, 0)
    await end(id, { state: 'final', minedHash: '0x1', minedBlock: 1, minedBlockHash: '0x2' })
    expect(await request(LARGE)).toMatch(/^tx_/)
  })
})

describe('storage exhaustion by small rejected transactions', () => {
  const reject = (rows: number) =>
    database.db.execute(sql`
      insert into ${transactions}
        (id, account_hash, pkp_id, chain_id, address, request_hash, "to", data, value, speed, errors, key_hash,
         action_cid, state, created_at, updated_at, ended_at)
      select 'tx_rejected_' || n, ${ACCOUNT}, '', 1, '', '', '', '0x', 0, 'normal', '{}', '', '', 'failed', now(), now(), now()
      from generate_series(1, ${rows}::int) n`)

  it('outside of runs: stops at the limit of a day', async () => {
    const { account, usageKeys } = UNSIGNED_TRANSACTIONS_PER_DAY
    await reject(usageKeys)
    expect(await request(0, { by: 'usage key' })).toBe('unsigned')
    expect(await request(0)).toMatch(/^tx_/)
    await database.db.delete(transactions)
    await reject(account)
    expect(await request(0)).toBe('unsigned')
    expect(await request(0, { runId: 'run', step: 0 })).toMatch(/^tx_/)
    aheadMs = DAY_MS + 60_000
    expect(await request(0)).toMatch(/^tx_/)
  })
})

describe('after the retention', () => {
  const RETENTION_MS = TRANSACTION_DATA_RETENTION_DAYS * DAY_MS

  it('large data and its signed bytes are removed, and small data is kept', async () => {
    const [large, small, open] = [await request(LARGE), await request(10), await request(LARGE)]
    await sign(large, 0)
    await sign(small, 1)
    const mined = { state: 'final' as const, minedBlock: 1, minedBlockHash: '0x2' }
    for (const id of [large, small]) await end(id, { ...mined, minedHash: id })
    aheadMs = RETENTION_MS - 60_000
    await store.forgetOld()
    expect((await rowOf(large)).data).toHaveLength(2 + 2 * LARGE)
    aheadMs = RETENTION_MS + 60_000
    await store.forgetOld()
    expect(await rowOf(large)).toMatchObject({ data: '', state: 'final', requestHash: 'cc' })
    expect((await rowOf(small)).data).toHaveLength(22)
    expect((await rowOf(open)).data).toHaveLength(2 + 2 * LARGE)
    const attempts = await store.attemptsOf([large, small])
    expect(attempts.get(large)).toMatchObject([{ nonce: 0, maxFeePerGas: 3n, raw: '' }])
    expect(attempts.get(small)).toMatchObject([{ raw: '0x02' }])
    // Without its bytes, it cannot be sent again.
    expect(await store.reopen(LANE, [0, 1])).toBe(1)
  })

  it('an account has room again, and the same ID is still the same transaction', async () => {
    const id = await fillExcept(0)
    await end(id, { state: 'failed', failureCode: 'would_revert' })
    expect(await request(LARGE)).toBe('data')
    aheadMs = RETENTION_MS + 60_000
    await store.forgetOld()
    expect(await request(LARGE)).toMatch(/^tx_/)
    expect(await request(LARGE, { id })).toBe('exists')
  })
})
