import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AccountSuspendedError } from '../../../origin/credits/credit-errors.ts'
import { findDifferences } from '../../../origin/credits/ledger-differences.ts'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { operatorProgram } from '../../../origin/operator/command.ts'
import { openAccount, originProcess } from '../credits/process.ts'
import { expectSoundBooks } from '../credits/sound-books.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import { blockWith } from '../../system/docs/documents.ts'

let fresh: FreshDatabase
let open: OpenDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  open = await openDatabase({ url: fresh.url })
})
afterAll(async () => {
  await open?.close()
  await fresh?.drop()
})

const WHO = ['--operator', 'ada', '--reason', 'ticket 7']

/** Runs the command. @returns everything that it printed */
async function run(...args: string[]): Promise<any[]> {
  const printed: object[] = []
  const program = operatorProgram((result) => printed.push(result), { DATABASE_URL: fresh.url })
  await program.parseAsync(args, { from: 'user' })
  return printed
}
const perform = (command: string, account: string, ...args: string[]) =>
  run(command, account, ...WHO, ...args, '--yes')
const refusal = (...args: string[]): Promise<string> =>
  run(...args).then(
    () => expect.fail('succeeded'),
    (error: Error) => error.message,
  )
const actionsOn = async (account: string) => {
  const [log] = await run('log')
  return log.origin.filter((row: { account: string }) => row.account === account)
}
async function expectAgreement(account: string) {
  const books = await expectSoundBooks(open.db, account)
  expect(await findDifferences(open.db)).toEqual([])
  return books
}

it('prints the plan, and changes and records nothing without --yes', async () => {
  const account = await openAccount(open.db, 100)
  const [printed] = await run('adjust-credit', account, ...WHO, '--cents', '50')
  expect(printed).toMatchObject({
    plan: { account, balance_cents: 100, adjust_cents: 50, suspended_at: null },
    done: false,
  })
  expect((await expectAgreement(account)).balance).toBe(100)
  expect(await actionsOn(account)).toEqual([])
})

it('adds credit through the ledger, with an audit row', async () => {
  const account = await openAccount(open.db, 100)
  const [, done] = await perform('adjust-credit', account, '--cents', '50')
  expect(done).toMatchObject({ done: true, balance_cents: 150 })
  const { transfers } = await expectAgreement(account)
  expect(transfers.at(-1)).toMatchObject({
    kind: 'adjustment',
    fromAccount: 'operator',
    cents: 50,
    subject: done.id,
  })
  expect(await actionsOn(account)).toEqual([
    {
      id: done.id,
      operator: 'ada',
      command: 'adjust-credit',
      account,
      reason: 'ticket 7',
      cents: 50,
      at: expect.stringMatching(/Z$/),
    },
  ])
})

it('turns a deduction that exceeds the credit into debt, which a later credit pays', async () => {
  const account = await openAccount(open.db, 100)
  const [, deducted] = await perform('adjust-credit', account, '--cents', '-130')
  expect(deducted).toMatchObject({ balance_cents: 0, debt_cents: 30 })
  const [, added] = await perform('adjust-credit', account, '--cents', '50')
  expect(added).toMatchObject({ balance_cents: 20, debt_cents: 0 })
  await expectAgreement(account)
})

it('double adjustment: performs an ID once', async () => {
  const account = await openAccount(open.db, 100)
  const command = ['adjust-credit', account, ...WHO, '--cents', '50', '--id', account, '--yes']
  await run(...command)
  expect(await refusal(...command)).toContain('was performed before')
  expect((await expectAgreement(account)).balance).toBe(150)
  expect(await actionsOn(account)).toHaveLength(1)
})

it('refuses a suspended account everything that costs credit, even credit that a process has leased', async () => {
  const account = await openAccount(open.db, 100)
  const process = originProcess(open)
  const running = await process.reserve(account, 2)
  expect((await expectAgreement(account)).leased).toBeGreaterThan(2)

  await perform('suspend-account', account)
  // A live process looks for such requests all the time.
  await process.credits.returnRequested()
  await expect(process.reserve(account, 1)).rejects.toThrow(AccountSuspendedError)
  await expect(originProcess(open).reserve(account, 1)).rejects.toThrow(AccountSuspendedError)
  expect((await expectAgreement(account)).leased).toBe(2)
  // The run in flight is charged what it has reserved.
  running.settle('execution', 2, { subject: 'Qm' })
  await process.credits.flush()
  expect(await process.credits.balance(account)).toMatchObject({ balance_cents: 98 })

  await perform('resume-account', account)
  await process.spend(account, 3)
  await process.credits.flush()
  expect((await expectAgreement(account)).balance).toBe(95)
  expect((await actionsOn(account)).map(({ command }: { command: string }) => command)).toEqual([
    'resume-account',
    'suspend-account',
  ])
})

it('accepts credit for a suspended account', async () => {
  const account = await openAccount(open.db, 100)
  await perform('suspend-account', account)
  const [, done] = await perform('adjust-credit', account, '--cents', '1')
  expect(done).toMatchObject({ balance_cents: 101, suspended_at: expect.any(String) })
})

it('records nothing if the account already has the state', async () => {
  const account = await openAccount(open.db, 100)
  expect(await refusal('resume-account', account, ...WHO, '--yes')).toBe('not suspended')
  await perform('suspend-account', account)
  expect(await refusal('suspend-account', account, ...WHO, '--yes')).toBe('already suspended')
  expect(await actionsOn(account)).toHaveLength(1)
})

it('deletes the e-mail address of an account, and no row of the ledger', async () => {
  const account = await openAccount(open.db, 100)
  await open.db.execute(
    sql`INSERT INTO account_emails (account_hash, email) VALUES (${account}, 'sealed')`,
  )
  const [{ plan }, done] = await perform('erase-account-email', account)
  expect([plan.has_email, done.has_email]).toEqual([true, false])
  expect((await expectAgreement(account)).transfers).toHaveLength(1)
})

it.each(["UPDATE operator_actions SET operator = 'x'", 'DELETE FROM operator_actions'])(
  'audit tampering: the database rejects %s',
  async (statement) => {
    await perform('suspend-account', await openAccount(open.db, 0))
    await expect(open.db.execute(sql.raw(statement))).rejects.toMatchObject({
      cause: { message: 'operator_actions is append-only' },
    })
  },
)

it('explains what the environment lacks, without values', async () => {
  const program = operatorProgram(() => {}, { DATABASE_URL: 'mysql://u:secret@h/d' })
  const faulty = program.parseAsync(['log'], { from: 'user' })
  await expect(faulty).rejects.toThrow(/^settings of the origin: DATABASE_URL: /)
  await expect(faulty).rejects.not.toThrow('secret')
})

it('executes the commands of docs/operate.md', async () => {
  const account = await openAccount(open.db, 100)
  const commands = blockWith('docs/operate.md', 'npm run operator -- suspend-account')
    .replaceAll('0x<account hash>', account)
    .split('\n')
    .filter((line) => line.startsWith('npm run operator -- '))
    .map((line) => line.matchAll(/'([^']*)'|(\S+)/g))
    .map((words) => [...words].slice(4).map(([, quoted, plain]) => quoted ?? plain!))
  for (const words of commands) await run(...words)
  expect((await expectAgreement(account)).balance).toBe(600)
  expect((await actionsOn(account)).map(({ command }: { command: string }) => command)).toEqual([
    'adjust-credit',
    'suspend-account',
  ])
})
