/** Damage to the books is reported and left unchanged. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { Audit } from '../../../origin/credits/audit.ts'
import { addCredit, lockAccount, clawBack } from '../../../origin/credits/ledger.ts'
import { scheduleAudits } from '../../../origin/credits/maintenance.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { creditAccounts, ledgerTransfers } from '../../../origin/db/schema.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { newAccount, openAccount, originProcess } from './process.ts'

type Facts = Record<string, unknown>

function damageIsTold(database: () => OpenDatabase): void {
  const db = () => database().db

  function auditor() {
    const told: Facts[] = []
    const audit = new Audit({
      db: db(),
      log: (event, facts = {}) => void told.push({ event, ...facts }),
    })
    /** Runs one audit and returns its reports. */
    const run = async () => {
      told.length = 0
      await audit.run()
      return [...told]
    }
    return { run }
  }

  const rowOf = async (account: string) =>
    (await db().select().from(creditAccounts).where(eq(creditAccounts.accountHash, account)))[0]!

  /** Changes an account's row by hand. The returned function restores it. */
  async function damage(account: string, change: Partial<typeof creditAccounts.$inferInsert>) {
    const row = await rowOf(account)
    const set = (values: typeof change) =>
      db().update(creditAccounts).set(values).where(eq(creditAccounts.accountHash, account))
    await set(change)
    return { mend: () => set(row) }
  }

  /** Runs a statement on the ledger that its trigger would reject. */
  async function withoutTrigger(statement: SQL) {
    await db().execute(sql`ALTER TABLE ${ledgerTransfers} DISABLE TRIGGER USER`)
    await db().execute(statement)
    await db().execute(sql`ALTER TABLE ${ledgerTransfers} ENABLE TRIGGER USER`)
  }

  /** An account with charges, and a process that holds a credit lease on it. */
  async function busy(cents = 100) {
    const account = await openAccount(db(), cents)
    const process = originProcess(database())
    await process.spend(account, 3)
    await process.credits.flush()
    return { account, process }
  }

  it('reports nothing for sound books with charges, leases, refunds and debt', async () => {
    const { account, process } = await busy()
    await db().transaction(async (tx) => {
      const at = new Date()
      const row = await lockAccount(tx, account, { starterCents: 0, at })
      const refund = { idempotencyKey: `refund:${account}`, kind: 'refund' } as const
      await clawBack(tx, row, at, { ...refund, cents: 500, subject: 'pi_1' })
    })
    const paying = newAccount()
    await db().transaction(async (tx) => {
      const at = new Date()
      const row = await lockAccount(tx, paying, { starterCents: 5, at })
      const paid = { idempotencyKey: `payment:${paying}`, kind: 'payment', cents: 700 } as const
      await addCredit(tx, row, at, paid)
    })
    expect((await rowOf(account)).debtCents).toBeGreaterThan(0)
    const { run } = auditor()
    expect(await run()).toEqual([])
    await process.spend(account)
    await process.credits.close()
    expect(await run()).toEqual([])
    expect(await run()).toEqual([])
  })

  it.each([
    ['a balance', { balanceCents: 1_000 }, { balance_cents: 1_000 }, 903],
    ['a debt', { debtCents: 7 }, { debt_cents: 7 }, -7],
    ['what is leased', { leasedCents: 96 }, { leased_cents: 96 }, 0],
  ])(
    'reports %s that was changed by hand, with the figures',
    async (_what, change, told, whole) => {
      const { account } = await busy()
      const { leasedCents } = await rowOf(account)
      const { mend } = await damage(account, change)
      const sound = {
        event: 'credits.books_differ',
        account,
        balance_cents: 97,
        ledger_balance_cents: 97,
        debt_cents: 0,
        ledger_debt_cents: 0,
        leased_cents: leasedCents,
        leases_cents: leasedCents,
      }
      const ofTheWhole = { event: 'credits.books_differ', whole_cents: whole }
      const expected = [{ ...sound, ...told }, ...(whole === 0 ? [] : [ofTheWhole])]
      expect(await auditor().run()).toEqual(expected)
      await mend()
    },
  )

  it('reports credit that was moved from one row to another, although the total is unchanged', async () => {
    const [from, to] = [await openAccount(db(), 50), await openAccount(db(), 50)]
    const [one, other] = [
      await damage(from, { balanceCents: 45 }),
      await damage(to, { balanceCents: 55 }),
    ]
    const told = await auditor().run()
    const balances = new Map(told.map((facts) => [facts.account, facts.balance_cents]))
    expect(balances).toEqual(
      new Map([
        [from, 45],
        [to, 55],
      ]),
    )
    await one.mend()
    await other.mend()
  })

  it('reports a transfer that was deleted from the ledger', async () => {
    const account = await openAccount(db(), 50)
    const [row] = await db()
      .select()
      .from(ledgerTransfers)
      .where(eq(ledgerTransfers.accountHash, account))
    await withoutTrigger(sql`DELETE FROM ${ledgerTransfers} WHERE account_hash = ${account}`)
    const { run } = auditor()
    const figures = { account, balance_cents: 50, ledger_balance_cents: 0 }
    expect(await run()).toEqual([
      expect.objectContaining(figures),
      { event: 'credits.books_differ', whole_cents: 50 },
    ])
    const { id: _drawnAgain, ...again } = row!
    await db().insert(ledgerTransfers).values(again)
    expect(await run()).toEqual([])
  })

  it('reports an account if its row was deleted', async () => {
    const account = await openAccount(db(), 50)
    const row = await rowOf(account)
    await db().delete(creditAccounts).where(eq(creditAccounts.accountHash, account))
    const told = await auditor().run()
    expect(told[0]).toMatchObject({ account, balance_cents: 0, ledger_balance_cents: 50 })
    await db().insert(creditAccounts).values(row)
  })

  it('reports damage at every audit without repairing it, until it is repaired', async () => {
    const account = await openAccount(db(), 50)
    const { run } = auditor()
    expect(await run()).toEqual([])
    const { mend } = await damage(account, { balanceCents: 51 })
    for (const _again of [1, 2])
      expect(await run()).toEqual([
        expect.objectContaining({ account, balance_cents: 51 }),
        { event: 'credits.books_differ', whole_cents: 1 },
      ])
    expect((await rowOf(account)).balanceCents).toBe(51)
    await mend()
    expect(await run()).toEqual([])
  })

  it('finds one of two offsetting errors later, once its account is used', async () => {
    const { account, process } = await busy()
    const idle = await openAccount(db(), 50)
    const { run } = auditor()
    for (const _audit of [1, 2, 3]) expect(await run()).toEqual([])
    const { balanceCents } = await rowOf(account)
    const hidden = await damage(idle, { balanceCents: 49 })
    await damage(account, { balanceCents: balanceCents + 1 })
    await process.spend(account)
    await process.credits.close()
    expect((await run()).map((facts) => facts.account)).toEqual([account])
    // A first audit, as at startup, checks all accounts.
    expect(await auditor().run()).toHaveLength(2)
    await damage(account, { balanceCents: balanceCents - 1 })
    await hidden.mend()
  })

  it('is not misled by concurrent charges', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => openAccount(db(), 200)))
    const processes = [1, 2].map(() => originProcess(database()))
    for (const { live } of processes) live()
    const customers = { areSpending: true }
    const spend = async (account: string) => {
      for (let turn = 0; turn < 25; turn++)
        for (const process of processes) {
          await process.spend(account)
          await process.credits.flush()
        }
    }
    const spent = Promise.all(accounts.map(spend)).finally(() => (customers.areSpending = false))
    while (customers.areSpending) expect(await auditor().run()).toEqual([])
    await spent
    for (const { credits, kill } of processes) {
      kill()
      await credits.close()
    }
    expect(await auditor().run()).toEqual([])
  })

  it('runs at startup and then periodically', async () => {
    const account = await openAccount(db(), 50)
    const { mend } = await damage(account, { balanceCents: 51 })
    const told: Facts[] = []
    const log = (event: string, facts: Facts = {}) => void told.push({ event, ...facts })
    const stop = scheduleAudits(new Audit({ db: db(), log }), log)
    const one = expect.objectContaining({ event: 'credits.books_differ', account })
    await vi.waitFor(() => expect(told).toEqual(expect.arrayContaining([one])), 20_000)
    stop()
    await mend()
  })
}

onSharedDatabase(1, (open) => damageIsTold(() => open(0)))
