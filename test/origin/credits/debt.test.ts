import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { CREDIT_LEASE_MS } from '../../../origin/credits/credits.ts'
import { lockAccount, clawBack } from '../../../origin/credits/ledger.ts'
import { PaymentRequiredError } from '../../../origin/credits/credit-errors.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { creditAccounts } from '../../../origin/db/schema.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { booksOf, newAccount, openAccount, originProcess } from './process.ts'

/** Refunds credit that was paid for. */
async function refund(
  db: OpenDatabase['db'],
  account: string,
  cents: number,
  idempotencyKey = `refund:${newAccount()}`,
): Promise<void> {
  await db.transaction(async (tx) => {
    const at = new Date()
    const row = await lockAccount(tx, account, { starterCents: 0, at })
    const key = { idempotencyKey, subject: 'pi_1' }
    await clawBack(tx, row, at, { ...key, kind: 'refund', cents })
  })
}

onSharedDatabase(2, (open) => {
  it('pays debt with credit of a dead process before that credit can be leased again', async () => {
    const { db } = open(0)
    const account = await openAccount(db, 60)
    const clock = { at: Date.now() }
    const dead = originProcess(open(0), { clock })
    await dead.reserve(account, 1)
    await refund(db, account, 50)
    const { leased } = await booksOf(db, account)
    clock.at += CREDIT_LEASE_MS + 1
    const living = originProcess(open(1), { clock })
    const { debt_cents, balance_cents } = await living.credits.balance(account)
    expect([leased > 10, debt_cents, balance_cents]).toEqual([true, 0, 10])
  })

  it('pays debt with returned credit of a dead process, even if no credit is requested', async () => {
    const { db } = open(0)
    const account = await openAccount(db, 60)
    const clock = { at: Date.now() }
    await originProcess(open(0), { clock }).reserve(account, 1)
    await refund(db, account, 50)
    clock.at += CREDIT_LEASE_MS + 1
    await originProcess(open(1), { clock }).credits.renew()
    expect((await booksOf(db, account)).balance).toBe(10)
  })

  it('does not lease returned credit to another process while there is debt', async () => {
    const { db } = open(0)
    const account = await openAccount(db, 20)
    const first = originProcess(open(0))
    const reservation = await first.reserve(account, 15)
    await refund(db, account, 100)
    reservation.release()
    first.live()
    const second = originProcess(open(1))
    await expect(second.reserve(account, 1)).rejects.toBeInstanceOf(PaymentRequiredError)
    first.kill()
    expect((await booksOf(db, account)).balance).toBe(0)
  })

  it('pays debt with available credit before leasing it', async () => {
    const { db } = open(0)
    const account = await openAccount(db, 20)
    const ofAccount = eq(creditAccounts.accountHash, account)
    await db.update(creditAccounts).set({ debtCents: 5 }).where(ofAccount)
    const { reserve } = originProcess(open(0))
    await expect(reserve(account, 16)).rejects.toBeInstanceOf(PaymentRequiredError)
    await reserve(account, 15)
    const [row] = await db.select().from(creditAccounts).where(ofAccount)
    expect(row).toMatchObject({ balanceCents: 15, debtCents: 0 })
  })

  it('taken twice: takes a refund once if it is repeated under its key', async () => {
    const { db } = open(0)
    const account = await openAccount(db, 60)
    for (let times = 0; times < 2; times++) await refund(db, account, 50, 'refund:repeated')
    expect((await booksOf(db, account)).balance).toBe(10)
  })
})
