import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sealContext } from '../../../origin/audit-log/context.ts'
import { WriteOutbox } from '../../../origin/accounts/writer/write-outbox.ts'
import { appendEntry } from '../../../origin/audit-log/append-entry.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { auditEntries, chainWrites, payers } from '../../../origin/db/schema.ts'
import { eraseAccountEmail } from '../../../origin/operator/account-actions.ts'
import { openFresh } from '../db/fresh-database.ts'
import { untilLockWait } from '../db/lock-waits.ts'

const ACCOUNT = `0x${'a'.repeat(64)}`

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
})
afterEach(() => database.close())

it('erases the address in an entry that is appended at the same time', async () => {
  const { db } = database
  const context = sealContext(Buffer.alloc(32), {
    accountHash: ACCOUNT,
    operation: 'add_group',
    actor: { kind: 'account_key', id: null },
    requestId: 'r',
    clientAddress: '203.0.113.9',
  })
  await db
    .insert(payers)
    .values({ number: 1, processId: 'a', leaseUntil: new Date(Date.now() + 60_000) })
  const outbox = new WriteOutbox({ db, processId: 'a', now: Date.now })
  const write = { writeId: 'w', functionName: 'addGroup', payer: 1, nonce: 0, transactions: ['0x'] }
  expect(await outbox.record({ ...write, audit: context })).toBe('recorded')
  const action = { id: 'erase', operator: 'o', reason: 'r', accountHash: ACCOUNT }
  let erased: Promise<void> | undefined
  // Like the transaction that records the receipt of a write.
  await db.transaction(async (tx) => {
    await tx.update(chainWrites).set({ state: 'mined' }).where(eq(chainWrites.writeId, 'w'))
    const entry = { context, sourceId: 'w', outcome: 'done', subject: {}, details: {} } as const
    await appendEntry(tx, entry, new Date())
    erased = eraseAccountEmail(db, action, new Date())
    await untilLockWait(db)
  })
  await erased
  const rows = await db.select().from(auditEntries).orderBy(auditEntries.sequence)
  expect(rows.map(({ operation, clientAddress }) => [operation, clientAddress])).toEqual([
    ['add_group', null],
    ['operator/erase_account_email', null],
  ])
})
