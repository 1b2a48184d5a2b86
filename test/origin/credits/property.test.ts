import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEASE_MS } from '../../../origin/credits/credits.ts'
import type { Reservation } from '../../../origin/credits/reservation.ts'
import { CreditsUnavailable, PaymentRequired } from '../../../origin/credits/shortage.ts'
import { type OpenDatabase, openDatabase, openEmbedded } from '../../../origin/db/open.ts'
import { startPostgres, whyNoPostgres } from '../db/postgres.ts'
import { booksOf, openAccount, originProcess, REFERENCE } from './process.ts'

const PROCESSES = 3

/** What may happen at one of the processes. */
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
    'expire',
    'lose an answer',
    'crash',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** One process, its open reservations, and a database that can lose the answer to a commit. */
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
  return { ...process, open, loseAnswer: () => void (losing = true) }
}

async function play(open: (index: number) => OpenDatabase, granted: number, steps: Step[]) {
  const { db } = open(0)
  const clock = { at: Date.now() }
  const account = await openAccount(db, granted)
  const members = Array.from({ length: PROCESSES }, (_, index) => member(open(index), clock))
  let settled = 0
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
      case 'release':
        return reservations.shift()?.release()
      case 'flush':
        return credits.flush()
      case 'answer':
        return credits.answer()
      case 'renew':
        return credits.renew()
      case 'expire':
        clock.at += LEASE_MS / 2
        return
      case 'lose an answer':
        return one.loseAnswer()
      case 'crash':
        one.kill()
        members[at] = member(open(at), clock)
    }
  }

  for (const next of steps) {
    // Beside each other: what waits for another process must not keep it from answering.
    const done = act(next).catch((error: unknown) => {
      if (error instanceof PaymentRequired || error instanceof CreditsUnavailable) return
      if (error instanceof Error && error.message.startsWith('the connection broke')) return
      throw error
    })
    under.push(done)
    await Promise.race([done, new Promise((resume) => setTimeout(resume, 2))])
    await expectSound(db, account, granted, settled)
  }
  // Nobody waits for those who do not answer.
  const passing = setInterval(() => (clock.at += 500), 10)
  await Promise.all(under)
  clearInterval(passing)
  for (const { open: left } of members) for (const reservation of left) reservation.release()
  for (const { credits, kill } of members) {
    kill()
    await credits.close()
  }
  clock.at += LEASE_MS + 1
  await member(open(0), clock).credits.renew()
  const books = await expectSound(db, account, granted, settled)
  expect(books.leased).toBe(0)
  return { ...books, settled }
}

async function expectSound(
  db: OpenDatabase['db'],
  account: string,
  granted: number,
  settled: number,
) {
  const books = await booksOf(db, account)
  expect(books.total).toBe(0)
  expect(books.balance).toBeGreaterThanOrEqual(0)
  expect(books.credited).toBe(books.balance)
  expect(books.balance + books.revenue).toBe(granted)
  expect(books.revenue).toBeLessThanOrEqual(settled)
  expect(books.inLeases).toBe(books.leased)
  expect(books.leased).toBeLessThanOrEqual(books.balance)
  return books
}

function propertyHolds(open: (index: number) => OpenDatabase, runs: number): void {
  it('whatever processes do, and whenever they die: sums are zero, no overdraft, no double charge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (granted, steps) => void (await play(open, granted, steps)),
      ),
      { numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    )
  }, 90_000)

  it('without crashes, expiries and lost answers, all that was settled is charged', async () => {
    const calm = step.filter(
      ({ act }) => !['crash', 'expire', 'lose an answer', 'renew'].includes(act),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(calm, { minLength: 5, maxLength: 40 }),
        async (granted, steps) => {
          const { revenue, settled } = await play(open, granted, steps)
          expect(revenue).toBe(settled)
        },
      ),
      { numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    )
  }, 90_000)
}

describe('on the embedded database', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmbedded()
  })
  afterAll(() => database.close())
  propertyHolds(() => database, 60)
})

describe.skipIf(whyNoPostgres)(`on a server ${whyNoPostgres ?? ''}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let opened: OpenDatabase[]
  beforeAll(async () => {
    server = await startPostgres()
    opened = await Promise.all(
      Array.from({ length: PROCESSES }, () => openDatabase({ url: server.url, stateDir: '' })),
    )
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await server?.close()
  })
  propertyHolds((index) => opened[index]!, 60)
})
