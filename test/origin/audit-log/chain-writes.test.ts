/** Entries of contract writes are neither lost nor duplicated, whatever step a process crashes after. */
import { randomUUID } from 'node:crypto'
import { asc, eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { entryHash } from '../../../shared/audit-log/entry.ts'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { WriteOutbox } from '../../../origin/accounts/writer/write-outbox.ts'
import { type AuditContext, keyActor } from '../../../origin/audit-log/context.ts'
import { auditEntries, chainWrites, payers } from '../../../origin/db/schema.ts'
import { newHash, startWriting, type WriterUnderTest, type Writing } from '../accounts/writing.ts'

const LEASE_MS = 1_500

let world: Writing
beforeAll(async () => {
  world = await startWriting()
})
afterEach(() => world.closeWriters())
afterAll(() => world.close())

const contextOf = (accountHash: string, operation: string): AuditContext => ({
  accountHash,
  operation,
  actor: keyActor('account_key', accountHash),
  requestId: randomUUID(),
  clientAddress: null,
})

const newAccount = async ({ writer }: WriterUnderTest, writeId: string = randomUUID()) => {
  const hash = newHash()
  const audit = contextOf(hash, 'new_account')
  await writer.write('newAccount', [hash, `0x${hash.slice(26)}`, 'n', ''], { writeId, audit })
  return hash
}
const addGroup = ({ writer }: WriterUnderTest, hash: string, name: string) =>
  writer.write('addGroup', [hash, name, '', [], []], {
    writeId: `${hash} ${name}`,
    audit: contextOf(hash, 'add_group'),
  })

/** Returns the operations of an account's entries, after verifying the chain. */
async function logged(hash: string): Promise<string[]> {
  const rows = await world.db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.accountHash, hash))
    .orderBy(asc(auditEntries.sequence))
  let previous: string | null = null
  for (const [n, { entry, hash: own }] of rows.entries()) {
    expect(entry).toMatchObject({ sequence: n + 1, previous_sha256: previous })
    expect(entryHash(entry)).toBe(own)
    previous = own
  }
  return rows.map(({ operation, entry }) => `${operation} ${entry.outcome}`)
}

/** Makes appending fail, like a crash between the receipt and the commit. */
const failAppending = () =>
  world.db.execute(
    sql`alter table audit_entries add constraint crash check (sequence < 0) not valid`,
  )
const stopFailing = () => world.db.execute(sql`alter table audit_entries drop constraint crash`)

describe('the entry of a contract write', () => {
  it('exists when the write returns', async () => {
    const opened = await world.open({ payers: 1, leaseMs: LEASE_MS })
    const hash = await newAccount(opened)
    await addGroup(opened, hash, 'g')
    expect(await logged(hash)).toEqual(['new_account done', 'add_group done'])
  })

  it('exists once after the write became final, and after a repeated write', async () => {
    const opened = await world.open({ payers: 1, leaseMs: LEASE_MS })
    const hash = await newAccount(opened)
    await addGroup(opened, hash, 'g')
    await addGroup(opened, hash, 'g')
    await world.mine(3)
    const state = async () =>
      (await world.rows()).find(({ writeId }) => writeId === `${hash} g`)?.state
    await expect.poll(state, { timeout: 20_000 }).toBe('final')
    expect(await logged(hash)).toEqual(['new_account done', 'add_group done'])
  })

  it('does not exist for a write that was refused before it was sent', async () => {
    const opened = await world.open({ payers: 1, leaseMs: LEASE_MS })
    const hash = newHash()
    await expect(addGroup(opened, hash, 'g')).rejects.toThrow()
    expect(await logged(hash)).toEqual([])
  })

  it('is appended by the next process after a crash between recording and sending', async () => {
    const first = await world.open({ payers: 1, leaseMs: LEASE_MS, waitMs: 1_000 })
    const hash = await newAccount(first)
    await world.standStill()
    const given = await addGroup(first, hash, 'left').catch((error: unknown) => error)
    expect(given).toBeInstanceOf(ContractUnavailableError)
    await first.close()
    await world.send('anvil_dropAllTransactions', [])
    expect(await logged(hash)).toEqual(['new_account done'])
    const second = await world.open({ payers: 1, leaseMs: LEASE_MS })
    await world.mineUntil(addGroup(second, hash, 'left'), 300)
    await world.goOn()
    expect(await logged(hash)).toEqual(['new_account done', 'add_group done'])
    expect(await world.groups('left')).toBe(1)
  })

  it('is appended by the next process after a crash between the receipt and the entry', async () => {
    const first = await world.open({ payers: 1, leaseMs: LEASE_MS })
    const hash = await newAccount(first)
    await failAppending()
    await addGroup(first, hash, 'mined')
    expect(await logged(hash)).toEqual(['new_account done'])
    await first.close()
    await stopFailing()
    await world.open({ payers: 1, leaseMs: LEASE_MS })
    await world.mine(3)
    await expect
      .poll(() => logged(hash), { timeout: 20_000 })
      .toEqual(['new_account done', 'add_group done'])
  })

  it('is not written without the state of the write, and the state not without the entry', async () => {
    const opened = await world.open({ payers: 1, leaseMs: LEASE_MS })
    const hash = await newAccount(opened)
    await failAppending()
    await addGroup(opened, hash, 'both')
    const isFirst = eq(chainWrites.writeId, `${hash} both`)
    const [row] = await world.db.select().from(chainWrites).where(isFirst)
    expect(row).toMatchObject({ state: 'sent', minedHash: null })
    await stopFailing()
    await world.mine(3)
    await expect
      .poll(() => logged(hash), { timeout: 20_000 })
      .toEqual(['new_account done', 'add_group done'])
  })

  it('follows the outcome if a reorganization changes it', async () => {
    const hash = newHash()
    const outbox = new WriteOutbox({ db: world.db, processId: 'reorg', now: Date.now })
    const leaseUntil = new Date(Date.now() + 60_000)
    await world.db.insert(payers).values({ number: 4, processId: 'reorg', leaseUntil })
    const write = { functionName: 'addGroup', payer: 4, nonce: 0, transactions: ['0x'] }
    const writeId = randomUUID()
    await outbox.record({ ...write, writeId, audit: contextOf(hash, 'add_group') })
    const receipt = (status: number) => ({ hash: '0xa', blockNumber: 1, status, logs: [] })
    await outbox.markMined(writeId, receipt(1))
    await outbox.markMined(writeId, receipt(1))
    await outbox.markUnmined(writeId)
    await outbox.markMined(writeId, receipt(0))
    await outbox.markFinal(writeId, receipt(0))
    await outbox.markFinal(writeId, receipt(0))
    expect(await logged(hash)).toEqual(['add_group done', 'add_group reverted'])
  })

  it('has its place in one gapless sequence, however many processes write', async () => {
    const [one, two] = [
      await world.open({ payers: 2, leaseMs: LEASE_MS }),
      await world.open({ payers: 2, leaseMs: LEASE_MS }),
    ]
    const hash = await newAccount(one)
    const names = Array.from({ length: 24 }, (_, n) => `g${n}`)
    await Promise.all(names.map((name, n) => addGroup(n % 2 ? one : two, hash, name)))
    await expect
      .poll(async () => (await logged(hash)).length, { timeout: 20_000 })
      .toBe(names.length + 1)
  })
})
