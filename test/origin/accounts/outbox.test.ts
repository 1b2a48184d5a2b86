import { afterEach, beforeEach, expect, it } from 'vitest'
import { type NewWrite, WriteOutbox } from '../../../origin/accounts/writer/write-outbox.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { payers } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'

const HOUR_MS = 60 * 60 * 1000
const WRITE: NewWrite = {
  writeId: 'write',
  functionName: 'addGroup',
  payer: 1,
  nonce: 0,
  transactions: ['0x'],
}
const MINED = { minedHash: '0xa', minedBlock: 7 }
const receipt = (hash: string, blockNumber: number) => ({ hash, blockNumber, status: 1, logs: [] })

let database: OpenDatabase
let outbox: WriteOutbox
beforeEach(async () => {
  database = await openFresh()
  outbox = new WriteOutbox({ db: database.db, processId: 'a', now: Date.now })
})
afterEach(() => database.close())

/** Gives the process a lease on the payer for `ms`. */
const hold = (ms: number) =>
  database.db
    .insert(payers)
    .values({ number: 1, processId: 'a', leaseUntil: new Date(Date.now() + ms) })

it('keeps a write final if a report of an earlier block arrives late', async () => {
  await hold(HOUR_MS)
  expect(await outbox.record(WRITE)).toBe('recorded')
  await outbox.markFinal('write', receipt('0xa', 7))
  await outbox.markMined('write', receipt('0xb', 6))
  await outbox.markUnmined('write')
  expect(await outbox.find('write')).toMatchObject({ state: 'final', ...MINED })
  expect(await outbox.unsettled(1)).toEqual([])
})

it('double effect: records and signs nothing after its lease has expired', async () => {
  await hold(-1)
  expect(await outbox.record(WRITE)).toBe('lease_lost')
  expect(await outbox.recordReplacement(WRITE)).toBe(false)
  expect(await outbox.find('write')).toBeUndefined()
})
