import { asc, eq, like, or, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { capBudgetName, spentSeries } from '../../../origin/credits/budget-names.ts'
import { executeInTransaction } from '../../../origin/credits/execute-order.ts'
import type { LeaseOrder } from '../../../origin/credits/lease-order.ts'
import { changeAccount, lockAccount } from '../../../origin/credits/ledger.ts'
import { isSettlementOnly, settleFast } from '../../../origin/credits/settle-charges.ts'
import { storeCap } from '../../../origin/credits/spend-caps.ts'
import { readSums } from '../../../origin/credits/window-sums.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import {
  creditAccounts,
  creditLeases,
  leaseParts,
  ledgerTransfers,
  usageDays,
  windowSums,
} from '../../../origin/db/schema.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { booksOf, newAccount, openAccount } from './process.ts'

type Db = OpenDatabase['db']

const AT = new Date('2026-11-22T10:00:00.250Z')
const TERMS = {
  processId: 'p',
  starterCents: 0,
  at: AT,
  expiresAt: new Date(AT.getTime() + 30_000),
}
const [ONE, OTHER] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`]
const CHARGES = [
  { kind: 'execution', keyHash: ONE, subject: 'QmA', cents: 7, quantity: 3 },
  { kind: 'execution', keyHash: ONE, subject: 'QmB', cents: 2, quantity: 2 },
  { kind: 'execution', keyHash: OTHER, subject: 'QmA', cents: 1, quantity: 1 },
  { kind: 'write', keyHash: OTHER, subject: '/core/v1/add_group', cents: 1, quantity: 1 },
] as const
const NOTHING = { reserved: 0, need: 0, extra: 0, giveBack: false, ask: false }

function orderOf(account: string, sequence: number, order: Partial<LeaseOrder> = {}): LeaseOrder {
  const leaseId = `lease of ${account}`
  return {
    leaseId,
    accountHash: account,
    sequence,
    charges: CHARGES,
    credit: NOTHING,
    parts: [],
    ...order,
  }
}

/** An account with a lease from which two keys may spend without a cap. */
async function leased(db: Db, { granted, need } = { granted: 100, need: 40 }): Promise<string> {
  const account = await openAccount(db, granted)
  const credit = { ...NOTHING, need }
  const parts = [ONE, OTHER].map((key) => ({
    ...NOTHING,
    need: 1,
    used: 0,
    budget: capBudgetName(key),
  }))
  await db.transaction((tx) =>
    executeInTransaction(tx, orderOf(account, 1, { charges: [], credit, parts }), TERMS),
  )
  return account
}

const CAP = { capCents: 500, windowSeconds: 3_600 }

const charge = fc.record({
  kind: fc.constantFrom('execution', 'write'),
  // The lease has no sub-allocation of the third key's cap.
  keyHash: fc.constantFrom(ONE, ONE, ONE, OTHER, OTHER, `0x${'3'.repeat(64)}`),
  subject: fc.constantFrom('QmA', 'QmB', '/core/v1/add_group'),
  cents: fc.integer({ min: 1, max: 12 }),
  quantity: fc.integer({ min: 1, max: 3 }),
})
const settlements = fc.array(
  fc.record({
    charges: fc.array(charge, { minLength: 1, maxLength: 4 }),
    reserved: fc.integer({ min: 0, max: 12 }),
    timesSent: fc.constantFrom(1, 1, 2),
  }),
  { minLength: 1, maxLength: 4 },
)
const state = fc.record({
  granted: fc.integer({ min: 0, max: 160 }),
  need: fc.integer({ min: 0, max: 120 }),
  other: fc.record({ need: fc.nat(30), reserved: fc.nat(10) }),
  debtCents: fc.constantFrom(0, 0, 0, 7),
  capOf: fc.constantFrom(undefined, undefined, undefined, ONE, OTHER),
})
type State = typeof state extends fc.Arbitrary<infer Value> ? Value : never

async function accountIn(
  db: Db,
  { granted, need, other, debtCents, capOf }: State,
): Promise<string> {
  const account = await leased(db, { granted, need })
  const leaseId = `other lease of ${account}`
  const credit = { ...NOTHING, ...other }
  await db.transaction(async (tx) => {
    await executeInTransaction(tx, orderOf(account, 1, { leaseId, charges: [], credit }), TERMS)
    await changeAccount(tx, await lockAccount(tx, account, TERMS), { debtCents })
    if (capOf !== undefined) await storeCap(tx, { accountHash: account, keyHash: capOf }, CAP, AT)
  })
  return account
}

/** All rows about an account, without the values that differ between accounts. */
async function rowsOf(db: Db, account: string) {
  const of = { accountHash: account }
  const text = JSON.stringify({
    account: await db
      .select()
      .from(creditAccounts)
      .where(eq(creditAccounts.accountHash, of.accountHash)),
    leases: await db
      .select()
      .from(creditLeases)
      .where(eq(creditLeases.accountHash, of.accountHash))
      .orderBy(creditLeases.id),
    parts: await db
      .select()
      .from(leaseParts)
      .where(eq(leaseParts.accountHash, account))
      .orderBy(leaseParts.budget),
    transfers: (
      await db
        .select()
        .from(ledgerTransfers)
        .where(
          or(
            eq(ledgerTransfers.accountHash, account),
            like(ledgerTransfers.toAccount, `%${account}`),
          ),
        )
        .orderBy(asc(ledgerTransfers.idempotencyKey))
    ).map(({ id, ...rest }) => (expect(id).toBeGreaterThan(0), rest)),
    days: await db
      .select()
      .from(usageDays)
      .where(eq(usageDays.accountHash, account))
      .orderBy(usageDays.keyHash, usageDays.kind, usageDays.subject),
    sums: await db
      .select()
      .from(windowSums)
      .where(eq(windowSums.accountHash, account))
      .orderBy(windowSums.series, windowSums.step),
  })
  return JSON.parse(
    text
      .replaceAll(account, 'ACCOUNT')
      .replaceAll(/"(openedAt|createdAt)":"[^"]*"/g, '"$1":"then"'),
  ) as unknown
}

/** Waits until a statement waits for a lock. */
async function untilOneWaits(db: Db): Promise<void> {
  for (;;) {
    const waiting = await db.execute(
      sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%uncapped%'`,
    )
    if ((waiting as { rows: unknown[] }).rows.length > 0) return
    await new Promise((resume) => setTimeout(resume, 5))
  }
}

function settlesPlainly(open: () => OpenDatabase): void {
  const db = () => open().db
  const whole = (order: LeaseOrder) =>
    db().transaction((tx) => executeInTransaction(tx, order, TERMS))
  const refuses = async (order: LeaseOrder) => {
    const before = await rowsOf(db(), order.accountHash)
    expect(await settleFast(db(), order, TERMS)).toBeUndefined()
    expect(await rowsOf(db(), order.accountHash)).toEqual(before)
  }

  it('leaves the same rows and returns the same result as a full transaction', async () => {
    const [plain, other] = [await leased(db()), await leased(db())]
    for (const sequence of [2, 3]) {
      const said = await settleFast(db(), orderOf(plain, sequence), TERMS)
      expect(said).toEqual(await whole(orderOf(other, sequence)))
      expect(said).toMatchObject({ balanceCents: 100 - 11 * (sequence - 1), unpaidCents: 0 })
    }
    const rows = await rowsOf(db(), plain)
    expect(rows).toEqual(await rowsOf(db(), other))
    expect(await booksOf(db(), plain)).toMatchObject({ total: 0, balance: 78, revenue: 22 })
  })

  it('gives the same result as a full transaction for the same state, or changes nothing', async () => {
    let [settledFast, leftToFull] = [0, 0]
    await fc.assert(
      fc.asyncProperty(state, settlements, async (given, orders) => {
        const [fast, full] = [await accountIn(db(), given), await accountIn(db(), given)]
        const sent = orders.flatMap(({ charges, reserved, timesSent }, index) => {
          const settlement = { charges, credit: { ...NOTHING, reserved } }
          return Array.from({ length: timesSent }, () => ({ settlement, sequence: index + 2 }))
        })
        for (const { settlement, sequence } of sent) {
          const order = orderOf(fast, sequence, settlement)
          const before = await rowsOf(db(), fast)
          const answer = await settleFast(db(), order, TERMS)
          if (!answer) expect(await rowsOf(db(), fast)).toEqual(before)
          if (answer) settledFast++
          else leftToFull++
          const expected = await whole(orderOf(full, sequence, settlement))
          // An order that requests no credit has no use for the leases of other processes.
          const withoutOthers = { ...expected, credit: { ...expected.credit, others: [] } }
          if (answer) expect(answer).toEqual(withoutOthers)
          else await whole(order)
          expect(await rowsOf(db(), fast)).toEqual(await rowsOf(db(), full))
        }
      }),
      { numRuns: 40, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false },
    )
    expect(settledFast).toBeGreaterThan(0)
    expect(leftToFull).toBeGreaterThan(0)
  }, 60_000)

  it('double charge: does nothing for an order that is sent again', async () => {
    const account = await leased(db())
    expect(await settleFast(db(), orderOf(account, 2), TERMS)).toBeDefined()
    await refuses(orderOf(account, 2))
    expect(await whole(orderOf(account, 2))).toMatchObject({ balanceCents: 89 })
    expect(await booksOf(db(), account)).toMatchObject({ revenue: 11 })
  })

  it('double charge: does nothing for an order that arrives after the next one', async () => {
    const account = await leased(db())
    await settleFast(db(), orderOf(account, 3), TERMS)
    await refuses(orderOf(account, 2))
  })

  it('overdraft: leaves an order to the full transaction if its lease does not cover charges and reservations', async () => {
    const account = await leased(db())
    const { held } = (await whole(orderOf(account, 2, { charges: [] }))).credit
    await refuses(orderOf(account, 3, { credit: { ...NOTHING, reserved: held - 10 } }))
    const credit = { ...NOTHING, reserved: held - 11 }
    expect(await settleFast(db(), orderOf(account, 3, { credit }), TERMS)).toBeDefined()
  })

  it('leaves an order to the full transaction if its lease was returned to the account', async () => {
    const account = await leased(db())
    await db().delete(creditLeases).where(eq(creditLeases.accountHash, account))
    await refuses(orderOf(account, 2))
  })

  it('leaves an order to the full transaction if there is debt to pay', async () => {
    const account = await leased(db())
    await db().transaction(async (tx) => {
      await changeAccount(tx, await lockAccount(tx, account, TERMS), { debtCents: 5 })
    })
    await refuses(orderOf(account, 2))
  })

  it('leaves charges of a key with a cap to the full transaction, which counts them', async () => {
    const account = await leased(db())
    const payer = { accountHash: account, keyHash: OTHER }
    await db().transaction(async (tx) => {
      await lockAccount(tx, account, TERMS)
      await storeCap(tx, payer, CAP, AT)
    })
    await refuses(orderOf(account, 2))
    await whole(orderOf(account, 2))
    const spent = await readSums(db(), account, [spentSeries(OTHER)], AT)
    expect(spent.get(spentSeries(OTHER))).toMatchObject({ amount: 2 })
  })

  it('does not bypass a cap that is set while the order waits for the account', async () => {
    const account = await leased(db())
    const payer = { accountHash: account, keyHash: OTHER }
    let settled: ReturnType<typeof settleFast> | undefined
    await db().transaction(async (tx) => {
      await lockAccount(tx, account, TERMS)
      settled = settleFast(db(), orderOf(account, 2), TERMS)
      await untilOneWaits(db())
      await storeCap(tx, payer, CAP, AT)
    })
    expect(await settled).toBeUndefined()
    expect(await booksOf(db(), account)).toMatchObject({ revenue: 0 })
  })

  it('does not spend from the lease of another account', async () => {
    const [account, other] = [await leased(db()), await leased(db())]
    await refuses(orderOf(account, 2, { leaseId: `lease of ${other}` }))
    expect(await booksOf(db(), other)).toMatchObject({ revenue: 0 })
  })

  it('charges once if many processes send one order at once', async () => {
    const account = await leased(db())
    const orders = Array.from({ length: 8 }, () => orderOf(account, 2))
    const answers = await Promise.all(orders.map((order) => settleFast(db(), order, TERMS)))
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1)
    expect(await booksOf(db(), account)).toMatchObject({ revenue: 11, total: 0 })
  })
}

it('does not classify an order as plain if it requests or returns something', () => {
  const account = newAccount()
  expect(isSettlementOnly(orderOf(account, 1))).toBe(true)
  expect(isSettlementOnly(orderOf(account, 1, { charges: [] }))).toBe(false)
  expect(isSettlementOnly(orderOf(account, 1, { credit: { ...NOTHING, need: 1 } }))).toBe(false)
  expect(isSettlementOnly(orderOf(account, 1, { credit: { ...NOTHING, giveBack: true } }))).toBe(
    false,
  )
  const part = { budget: 'failures', used: 5, ...NOTHING }
  expect(isSettlementOnly(orderOf(account, 1, { parts: [part] }))).toBe(false)
})

onSharedDatabase(1, (open) => settlesPlainly(() => open(0)))
