import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AllowanceReservation } from '../../../origin/credits/allowance-reservation.ts'
import { failureBudgetName } from '../../../origin/credits/budget-names.ts'
import { CREDIT_LEASE_MS } from '../../../origin/credits/credits.ts'
import type { Reservation } from '../../../origin/credits/reservation.ts'
import {
  CreditsUnavailableError,
  AllowanceExhaustedError,
  PaymentRequiredError,
  RunsInFlightError,
  SpendCapReachedError,
} from '../../../origin/credits/credit-errors.ts'
import { addFailures } from '../../../origin/credits/window-sums.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { leaseParts, windowSums } from '../../../origin/db/schema.ts'
import { FAILED_EXECUTION_MS } from '../../../shared/limits.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { booksOf, KEY, openAccount, originProcess, REFERENCE } from './process.ts'

const PROCESSES = 3

/** Checks for transactions that a killed process had in flight, with far more attempts than they need. */
const LATE_TRIES = 100
const LATE_LOOK_MS = 20

/** A step at one of the processes. */
const step = fc.record({
  at: fc.nat(PROCESSES - 1),
  cents: fc.integer({ min: 1, max: 12 }),
  act: fc.constantFrom(
    'reserve',
    'reserve',
    'reserve',
    'extend',
    'settle',
    'settle',
    'release',
    'flush',
    'answer',
    'renew',
    'admit',
    'fail',
    'succeed',
    'expire',
    'lose an answer',
    'crash',
  ),
})
/** Spending limits of the account and of its key. */
const limits = fc.record({
  granted: fc.integer({ min: 0, max: 60 }),
  capCents: fc.integer({ min: 0, max: 60 }),
})
const REFUSALS = [
  PaymentRequiredError,
  SpendCapReachedError,
  CreditsUnavailableError,
  AllowanceExhaustedError,
  RunsInFlightError,
]

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** One process, its open reservations, and a database that can lose the response to a commit. */
function member(database: OpenDatabase, clock: { at: number }) {
  let losing = false
  const db = new Proxy(database.db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value
      return async (work: never) => {
        const answer = await target.transaction(work)
        if (losing) {
          losing = false
          throw new Error('the connection broke after the commit')
        }
        return answer
      }
    },
  })
  const process = originProcess({ db }, { clock })
  process.live()
  const open: Reservation[] = []
  const runs: AllowanceReservation[] = []
  return { ...process, open, runs, loseAnswer: () => void (losing = true) }
}

/** Earlier failures of the action, so that few more are allowed. */
const FAILED_BEFORE_MS = FAILED_EXECUTION_MS - 5_000
const FAILURE_MS = 1_000
const CID = 'QmAction'

async function play(
  open: (index: number) => OpenDatabase,
  { granted, capCents }: { granted: number; capCents: number },
  steps: Step[],
) {
  const { db } = open(0)
  const clock = { at: Date.now() }
  const account = await openAccount(db, granted)
  const members = Array.from({ length: PROCESSES }, (_, index) => member(open(index), clock))
  const payer = { accountHash: account, keyHash: KEY }
  await members[0]!.credits.setCap(payer, { capCents, windowSeconds: 366 * 24 * 3_600 })
  await db.transaction((tx) =>
    addFailures(
      tx,
      account,
      new Date(clock.at),
      new Map([[failureBudgetName(KEY, CID), FAILED_BEFORE_MS]]),
    ),
  )
  let settled = 0
  let failures = 0
  const under = [] as Promise<void>[]

  async function act({ at, cents, act: what }: Step): Promise<void> {
    const one = members[at]!
    const { credits, open: reservations } = one
    const reservation = reservations[0]
    switch (what) {
      case 'reserve':
        reservations.push(await one.reserve(account, cents))
        return
      case 'extend':
        await reservation?.extend(cents)
        return
      case 'settle':
        if (!reservation) return
        settled += reservation.cents
        reservations.shift()
        return reservation.settle('write', reservation.cents, REFERENCE)
      case 'admit':
        one.runs.push(
          await credits.admit(payer, { cid: CID, wallMs: 1_000 + cents * 500, bytes: 0 }),
        )
        return
      case 'fail':
        if (one.runs.length > 0) failures++
        return one.runs.shift()?.finish(FAILURE_MS, { failed: true })
      case 'succeed':
        return one.runs.shift()?.finish(FAILURE_MS, { failed: false })
      case 'release':
        return reservations.shift()?.release()
      case 'flush':
        return credits.flush()
      case 'answer':
        return credits.returnRequested()
      case 'renew':
        return credits.renew()
      case 'expire':
        clock.at += CREDIT_LEASE_MS / 2
        return
      case 'lose an answer':
        return one.loseAnswer()
      case 'crash':
        one.kill()
        members[at] = member(open(at), clock)
    }
  }

  for (const next of steps) {
    // Steps run concurrently, because a step that waits for another process must not keep it from answering.
    const done = act(next).catch((error: unknown) => {
      if (REFUSALS.some((refusal) => error instanceof refusal)) return
      if (error instanceof Error && error.message.startsWith('the connection broke')) return
      throw error
    })
    under.push(done)
    await Promise.race([done, new Promise((resume) => setTimeout(resume, 2))])
    await expectSound(db, account, granted, { capCents, settled, failures })
  }
  // Time passes, so that pending and closing processes do not wait for unresponsive ones.
  const passing = setInterval(() => (clock.at += 500), 10)
  await Promise.all(under)
  for (const { open: left, runs } of members) {
    for (const reservation of left) reservation.release()
    for (const run of runs) run.release()
  }
  for (const { credits, kill } of members) {
    kill()
    await credits.close()
  }
  clearInterval(passing)
  const last = member(open(0), clock)
  // A transaction of a killed process may still reach the database. Its lease then expires like any other.
  let books: Awaited<ReturnType<typeof expectSound>>
  let tries = 0
  do {
    if (tries > 0) await new Promise((resume) => setTimeout(resume, LATE_LOOK_MS))
    clock.at += CREDIT_LEASE_MS + 1
    await last.credits.renew()
    books = await expectSound(db, account, granted, { capCents, settled, failures })
  } while ((books.leased > 0 || books.parts.length > 0) && ++tries < LATE_TRIES)
  last.kill()
  expect(books.leased).toBe(0)
  expect(books.parts).toEqual([])
  return { ...books, settled, failures }
}

async function expectSound(
  db: OpenDatabase['db'],
  account: string,
  granted: number,
  { capCents, settled, failures }: { capCents: number; settled: number; failures: number },
) {
  const books = await booksOf(db, account)
  const sums = await db.select().from(windowSums).where(eq(windowSums.accountHash, account))
  const sumOf = (series: string) =>
    sums.reduce((sum, row) => sum + (row.series === series ? row.amount : 0), 0)
  const parts = await db.select().from(leaseParts).where(eq(leaseParts.accountHash, account))
  expect(books.total).toBe(0)
  expect(books.balance).toBeGreaterThanOrEqual(0)
  expect(books.credited).toBe(books.balance)
  expect(books.balance + books.revenue).toBe(granted)
  expect(books.revenue).toBeLessThanOrEqual(settled)
  expect(books.inLeases).toBe(books.leased)
  expect(books.leased).toBeLessThanOrEqual(books.balance)
  expect(books.revenue).toBeLessThanOrEqual(capCents)
  const failedMs = sumOf(`failed/${KEY}/${CID}`) - FAILED_BEFORE_MS
  return { ...books, parts, spentCents: sumOf(`spent/${KEY}`), failedMs, failures }
}

function propertyHolds(open: (index: number) => OpenDatabase, runs: number): void {
  it('keeps the books sound through any steps and kills: zero sums, no overdraft, no double charge, no cap exceeded', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (given, steps) => void (await play(open, given, steps)),
      ),
      { numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    )
  }, 90_000)

  it('charges all that was settled and counts all failures if there are no crashes, expiries or lost answers', async () => {
    const calm = step.filter(
      ({ act }) => !['crash', 'expire', 'lose an answer', 'renew'].includes(act),
    )
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(calm, { minLength: 5, maxLength: 40 }),
        async (given, steps) => {
          const end = await play(open, given, steps)
          expect(end.revenue).toBe(end.settled)
          expect(end.spentCents).toBe(end.settled)
          expect(end.failedMs).toBe(end.failures * FAILURE_MS)
          expect(end.failedMs).toBeLessThanOrEqual(FAILED_EXECUTION_MS - FAILED_BEFORE_MS)
        },
      ),
      { numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    )
  }, 90_000)
}

onSharedDatabase(PROCESSES, (open) => propertyHolds(open, 120))
