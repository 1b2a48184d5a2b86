/** Runs the queries of docs/credits.md as printed, on sound books and on damaged ones. */
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { addCredit, lockAccount, clawBack } from '../../../origin/credits/ledger.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { creditAccounts, creditLeases, usageDays } from '../../../origin/db/schema.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { newAccount, originProcess } from './process.ts'

const page = readFileSync(new URL('../../../docs/credits.md', import.meta.url), 'utf8')

/** Each query by the sentence that is printed above it. */
const queries = new Map(
  [...page.matchAll(/([^\n]+)\n\n```sql\n(.*?)```/gs)].map((match) => [match[1]!, match[2]!]),
)
const CHECKS = [...queries.keys()].filter((sentence) => sentence.includes('There is none'))

type Row = Record<string, unknown>

function queriesHold(database: () => OpenDatabase): void {
  const db = () => database().db
  const spender = newAccount()
  const debtor = newAccount()

  /** Returns the rows of a query, with values as the database's own client shows them. */
  async function ask(sentence: string, account = spender): Promise<Row[]> {
    const [, query] = [...queries].find(([above]) => above.startsWith(sentence))!
    const text = query.replaceAll(":'account'", `'${account}'`)
    return ((await db().execute(sql.raw(text))) as { rows: Row[] }).rows
  }
  const lockedAccount = async (
    account: string,
    act: (tx: Parameters<typeof addCredit>[0], row: Parameters<typeof addCredit>[1]) => unknown,
  ) =>
    db().transaction(async (tx) =>
      act(tx, await lockAccount(tx, account, { starterCents: 5, at: new Date() })),
    )

  beforeAll(async () => {
    for (const account of [spender, debtor])
      await lockedAccount(account, (tx, row) => {
        const payment = {
          idempotencyKey: `payment:${account}`,
          kind: 'payment',
          cents: 500,
        } as const
        return addCredit(tx, row, new Date(), payment)
      })
    const process = originProcess(database())
    for (const account of [spender, debtor]) await process.spend(account, 7)
    await process.credits.flush()
    const refund = { kind: 'refund', cents: 500, subject: 'pi_1' } as const
    await process.credits.close()
    await lockedAccount(debtor, (tx, row) =>
      clawBack(tx, row, new Date(), { ...refund, idempotencyKey: `refund:${debtor}` }),
    )
    // Holds credit while the queries run.
    await originProcess(database()).spend(spender)
  })

  it('finds nothing in sound books', async () => {
    for (const check of CHECKS) expect([check, await ask(check)]).toEqual([check, []])
  })

  it('sums up revenue, payments, grants, balances and debts to 0', async () => {
    const ours = await ask('The totals earned')
    const figures = Object.fromEntries(ours.map(({ account, cents }) => [account, Number(cents)]))
    expect(figures).toEqual({ revenue: 14, processor: -500, starter: -10 })
    const [customers] = await ask('What all customers')
    const { balance_cents, debt_cents } = customers!
    const whole = 14 - 500 - 10 + Number(balance_cents) - Number(debt_cents)
    expect([Number(debt_cents), whole]).toEqual([2, 0])
  })

  it('lists accounts with debt', async () => {
    const rows = await ask('Who owes')
    expect(rows.map((row) => [row.account_hash, Number(row.debt_cents)])).toEqual([[debtor, 2]])
  })

  it('lists everything that happened to an account, in order', async () => {
    const rows = await ask('All that ever happened', debtor)
    expect(rows.map(({ kind, cents }) => [kind, Number(cents)])).toEqual([
      ['starter', 5],
      ['payment', 500],
      ['write', 7],
      ['refund', 498],
      ['refund', 2],
    ])
  })

  it.each([
    ['Accounts whose row', creditAccounts, 'balance_cents'],
    ['Accounts whose leased', creditLeases, 'cents'],
    ['Days of an account', usageDays, 'cents'],
  ] as const)('finds damage: %s', async (sentence, table, column) => {
    const add = (cents: number) => sql`UPDATE ${table}
      SET ${sql.identifier(column)} = ${sql.identifier(column)} + ${cents} WHERE account_hash = ${spender}`
    await db().execute(add(1_000))
    const found = await ask(sentence)
    await db().execute(add(-1_000))
    expect(found.map((row) => row.account_hash)).toEqual([spender])
    expect(await ask(sentence)).toEqual([])
  })
}

it('prints seven queries, three of which find nothing in sound books', () => {
  expect([queries.size, CHECKS.length]).toEqual([7, 3])
})

onSharedDatabase(1, (open) => queriesHold(() => open(0)))
