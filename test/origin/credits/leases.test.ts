import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEASE_IDLE_MS } from '../../../origin/credits/account-lease.ts'
import { LEASE_MS, LEASE_USABLE_MS } from '../../../origin/credits/credits.ts'
import { carryOut } from '../../../origin/credits/lease-order.ts'
import { lockAccount } from '../../../origin/credits/ledger.ts'
import { CreditsUnavailable, PaymentRequired } from '../../../origin/credits/shortage.ts'
import { type OpenDatabase, openDatabase, openEmbedded } from '../../../origin/db/open.ts'
import { startPostgres, whyNoPostgres } from '../db/postgres.ts'
import { booksOf, KEY, newAccount, openAccount, originProcess, REFERENCE } from './process.ts'

type P = ReturnType<typeof originProcess>

/** How often a database was asked. */
function counted({ db }: OpenDatabase) {
  const asked = { times: 0 }
  return { db: afterTransactions(db, async () => void asked.times++), asked }
}

/** A database whose commits are carried out and, when told so, never answered. */
function losingAnswers(db: OpenDatabase['db']) {
  const losing = { db, lose: false }
  losing.db = afterTransactions(db, async () => {
    if (losing.lose) throw new Error('the connection broke after the commit')
  })
  return losing
}

/** A database whose commits are answered later, from `hold` until `answer`. */
function slowAnswers(db: OpenDatabase['db']) {
  let gate = Promise.resolve()
  let open = () => {}
  const hold = () => void (gate = new Promise((resolve) => (open = resolve)))
  return { db: afterTransactions(db, () => gate), hold, answer: () => open() }
}

function afterTransactions(db: OpenDatabase['db'], then: () => Promise<void>): OpenDatabase['db'] {
  return new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'transaction' && name !== 'execute')
        return typeof value === 'function' ? value.bind(target) : value
      return async (work: never) => {
        const answer: unknown = await Reflect.apply(value as () => unknown, target, [work])
        await then()
        return answer
      }
    },
  })
}

/** Sums that are held whatever happens. */
async function expectSoundBooks(db: OpenDatabase['db'], account: string) {
  const books = await booksOf(db, account)
  expect(books.total).toBe(0)
  expect(books.credited).toBe(books.balance)
  expect(books.inLeases).toBe(books.leased)
  expect(books.leased).toBeLessThanOrEqual(books.balance)
  return books
}

/** The UTC day so many days from then. */
function dayOf(at: Date, days: number): string {
  return new Date(at.getTime() + days * 86_400_000).toISOString().slice(0, 10)
}

function leasesHold(open: () => OpenDatabase): void {
  const db = () => open().db

  it('a new account has its starter credits, and nothing without them', async () => {
    const [rich, poor] = [newAccount(), newAccount()]
    const giving = originProcess(open(), { starterCents: 500 })
    expect(await giving.credits.balance(rich)).toEqual({
      balance_cents: 500,
      reserved_cents: 0,
      debt_cents: 0,
      balance_display: '$5.00',
    })
    expect(await originProcess(open()).credits.balance(poor)).toMatchObject({ balance_cents: 0 })
  })

  it('double grant: many processes that need an account at once grant its starter credits once', async () => {
    const account = newAccount()
    const processes = Array.from({ length: 8 }, () => originProcess(open(), { starterCents: 50 }))
    await Promise.all(processes.map(({ credits }) => credits.balance(account)))
    await Promise.all(processes.map(({ credits }) => credits.balance(account)))
    const { transfers, balance } = await expectSoundBooks(db(), account)
    expect(balance).toBe(50)
    expect(transfers.map(({ idempotencyKey }) => idempotencyKey)).toEqual([`starter:${account}`])
  })

  it('double grant: spending it all and coming back grants nothing more', async () => {
    const account = newAccount()
    const first = originProcess(open(), { starterCents: 2 })
    await first.spend(account, 2)
    await first.credits.close()
    const second = originProcess(open(), { starterCents: 500 })
    expect(await second.credits.balance(account)).toMatchObject({ balance_cents: 0 })
  })

  it('a reservation is not in the balance, and comes back when it is released', async () => {
    const { credits, reserve } = originProcess(open())
    const account = await openAccount(db(), 10)
    const reservation = await reserve(account, 4)
    const held = { balance_cents: 6, reserved_cents: 4 }
    expect(await credits.balance(account)).toMatchObject(held)
    reservation.release()
    reservation.release()
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 10, reserved_cents: 0 })
  })

  it('a charge is on the statement once, with its key and what it was for', async () => {
    const { credits, reserve } = originProcess(open())
    const account = await openAccount(db(), 10)
    const reservation = await reserve(account, 4)
    reservation.settle('execution', 3, { subject: 'Qm' })
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 7, reserved_cents: 0 })
    await credits.flush()
    const { transfers } = await expectSoundBooks(db(), account)
    expect(transfers[1]).toMatchObject({
      kind: 'execution',
      fromAccount: `credits:${account}`,
      toAccount: 'revenue',
      cents: 3,
      keyHash: KEY,
      subject: 'Qm',
      quantity: 1,
    })
    expect(transfers).toHaveLength(2)
  })

  it('more than is reserved is not charged, nor anything after the end', async () => {
    const { credits, reserve } = originProcess(open())
    const account = await openAccount(db(), 10)
    const reservation = await reserve(account, 2)
    expect(() => reservation.settle('write', 3, REFERENCE)).toThrow(RangeError)
    reservation.settle('write', 2, REFERENCE)
    expect(() => reservation.settle('write', 1, REFERENCE)).toThrow(RangeError)
    reservation.release()
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 8 })
  })

  it('a hundred reservations out of one lease ask the database thrice, and not a hundred times', async () => {
    const account = await openAccount(db(), 1_000)
    const { db: watched, asked } = counted(open())
    const { spend } = originProcess({ db: watched })
    for (let i = 0; i < 100; i++) await spend(account)
    expect(asked.times).toBe(3)
  })

  it('what the account has not is refused, with what is needed and what is there', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const refused = await reserve(account, 5).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PaymentRequired)
    expect(refused).toMatchObject({ requiredCents: 5, balanceCents: 3 })
    expect((await reserve(account, 3)).cents).toBe(3)
  })

  it('what is too little for one that waits is enough for the next', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const [large, small] = await Promise.allSettled([reserve(account, 5), reserve(account, 1)])
    expect([large.status, small.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('a reservation grows as far as the account goes', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const reservation = await reserve(account, 1)
    expect(await reservation.extend(2)).toBeUndefined()
    expect(await reservation.extend(1)).toBe('out_of_credits')
    expect(reservation.cents).toBe(3)
  })

  it('five cents that another process holds can be spent at any process, within a second', async () => {
    const account = await openAccount(db(), 5)
    const holder = originProcess(open())
    const held = await holder.reserve(account, 5)
    held.release()
    expect(await booksOf(db(), account)).toMatchObject({ leased: 5 })
    holder.live()
    const other = originProcess(open())
    const began = performance.now()
    for (let i = 0; i < 5; i++) await other.spend(account)
    expect(performance.now() - began).toBeLessThan(1_000)
    await expect(other.spend(account)).rejects.toThrow(PaymentRequired)
    holder.kill()
    await Promise.all([other.credits.close(), holder.credits.close()])
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 0, revenue: 5 })
  })

  it('what another process has reserved is asked for in vain: 402, and not a wait', async () => {
    const account = await openAccount(db(), 2)
    const holder = originProcess(open())
    holder.live()
    await holder.reserve(account, 2)
    await expect(originProcess(open()).spend(account)).rejects.toThrow(PaymentRequired)
    holder.kill()
  })

  it('while a process that holds the credit does not answer, nobody knows; then its lease expires', async () => {
    const account = await openAccount(db(), 2)
    const clock = { at: Date.now() }
    const dead = originProcess(open(), { clock })
    ;(await dead.reserve(account, 2)).release()
    const alive = originProcess(open(), { clock })
    const refused = alive.spend(account)
    const passing = setInterval(() => (clock.at += 200), 20)
    await expect(refused).rejects.toThrow(CreditsUnavailable)
    clearInterval(passing)
    clock.at += LEASE_MS
    await alive.spend(account, 2)
    await alive.credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 0, revenue: 2 })
  })

  it('a renewed lease stays; one that is not renewed is not spent from before others take it', async () => {
    const account = await openAccount(db(), 100)
    const clock = { at: Date.now() }
    const { db: watched, asked } = counted(open())
    const { credits, spend } = originProcess({ db: watched }, { clock })
    await spend(account)
    clock.at += LEASE_USABLE_MS - 1
    await credits.renew()
    asked.times = 0
    clock.at += LEASE_USABLE_MS - 1
    await spend(account)
    expect(asked.times).toBe(0)
    clock.at += 1
    await spend(account)
    expect(asked.times).toBe(1)
  })

  it('a lease that had nothing to do works on', async () => {
    const account = await openAccount(db(), 100)
    const { credits, spend } = originProcess(open())
    await spend(account)
    for (let i = 0; i < 3; i++) await credits.flush()
    await spend(account, 50)
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 49 })
  })

  it('an idle lease goes back', async () => {
    const account = await openAccount(db(), 100)
    const clock = { at: Date.now() }
    const { credits, spend } = originProcess(open(), { clock })
    await spend(account)
    await credits.flush()
    expect((await booksOf(db(), account)).leased).toBeGreaterThan(0)
    clock.at += LEASE_IDLE_MS
    await credits.flush()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ leased: 0, balance: 99 })
  })

  it('what one process has spent shows in the balance of another once it is settled', async () => {
    const account = await openAccount(db(), 100)
    const [one, other] = [originProcess(open()), originProcess(open())]
    const reservation = await one.reserve(account, 5)
    await one.spend(account, 10)
    await one.credits.flush()
    const seen = { balance_cents: 85, reserved_cents: 5 }
    expect(await other.credits.balance(account)).toMatchObject(seen)
    reservation.release()
    expect(await one.credits.balance(account)).toMatchObject({ balance_cents: 90 })
  })

  it('a process that waits for one account’s credit gives back another’s meanwhile', async () => {
    const [mine, theirs] = await Promise.all([openAccount(db(), 5), openAccount(db(), 5)])
    const [busy, other, silent] = [1, 2, 3].map(() => originProcess(open())) as [P, P, P]
    ;(await silent.reserve(mine, 5)).release()
    ;(await busy.reserve(theirs, 5)).release()
    busy.live()
    const waits = busy.spend(mine, 5).catch((error: unknown) => error)
    const began = performance.now()
    await other.spend(theirs, 5)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(await waits).toBeInstanceOf(CreditsUnavailable)
    busy.kill()
  })

  it('a process that ends settles what it spent and gives the rest back', async () => {
    const account = await openAccount(db(), 100)
    const { credits, reserve, spend } = originProcess(open())
    await Promise.all(Array.from({ length: 30 }, () => spend(account)))
    await credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ leased: 0, balance: 70 })
    await expect(reserve(account, 1)).rejects.toThrow(CreditsUnavailable)
  })

  it('late charge: a process that was taken for dead charges what is there, and never into debt', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const slow = originProcess(open(), { clock })
    await slow.spend(account, 6)
    clock.at += LEASE_MS + 1
    const other = originProcess(open(), { clock })
    await other.spend(account, 7)
    await other.credits.flush()
    await slow.credits.flush()
    expect(slow.logs).toContain('credits.unpaid')
    await Promise.all([slow.credits.close(), other.credits.close()])
    const { balance, revenue } = await expectSoundBooks(db(), account)
    expect(balance + revenue).toBe(10)
    expect(revenue).toBeGreaterThan(7)
  })

  it('double charge: an order whose answer was lost is sent again, and settles once', async () => {
    const account = await openAccount(db(), 10)
    const losing = losingAnswers(db())
    const { credits, spend } = originProcess(losing)
    await spend(account, 2)
    losing.lose = true
    await credits.flush()
    await credits.flush()
    losing.lose = false
    await credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 8, revenue: 2 })
  })

  it('double charge: nor where its lease had expired before it was sent again', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const losing = losingAnswers(db())
    const { credits, spend } = originProcess(losing, { clock })
    await spend(account, 2)
    losing.lose = true
    await credits.flush()
    clock.at += LEASE_MS + 1
    await originProcess(open(), { clock }).credits.renew()
    losing.lose = false
    await credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 8, revenue: 2 })
  })

  it('a lease whose order is sent again is not taken for expired while its process spends by it', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const losing = losingAnswers(db())
    const { credits, spend, reserve } = originProcess(losing, { clock })
    await spend(account, 2)
    const underWay = await reserve(account, 1)
    losing.lose = true
    await credits.flush()
    losing.lose = false
    clock.at += LEASE_MS - 1_000
    await credits.flush()
    clock.at += 2_000
    await originProcess(open(), { clock }).credits.renew()
    expect(await booksOf(db(), account)).toMatchObject({ revenue: 2 })
    expect((await booksOf(db(), account)).inLeases).toBeGreaterThan(0)
    underWay.release()
    await credits.close()
  })

  it('double spending: what is on its way back is not reserved at the same time', async () => {
    const account = await openAccount(db(), 5)
    const slow = slowAnswers(db())
    const [holder, other] = [originProcess(slow), originProcess(open())]
    ;(await holder.reserve(account, 5)).release()
    const taking = other.reserve(account, 5)
    await sleep(50)
    other.live()
    slow.hold()
    await holder.credits.answer()
    await taking
    const twice = holder.reserve(account, 5)
    slow.answer()
    await expect(twice).rejects.toThrow(PaymentRequired)
    other.kill()
  })

  it('an order that arrives after a newer one does nothing', async () => {
    const account = await openAccount(db(), 10)
    const at = new Date()
    const terms = { processId: 'p', starterCents: 0, at, expiresAt: new Date(+at + LEASE_MS) }
    const ordered = (sequence: number, need: number) =>
      db().transaction((tx) =>
        carryOut(
          tx,
          {
            leaseId: `lease of ${account}`,
            accountHash: account,
            sequence,
            charges: [],
            credit: { reserved: 1, need, extra: 0, giveBack: need === 0, ask: false },
            parts: [],
          },
          terms,
        ),
      )
    expect((await ordered(1, 6)).credit.held).toBe(7)
    expect((await ordered(2, 0)).credit.held).toBe(1)
    expect((await ordered(1, 6)).credit).toMatchObject({ held: 1, available: 9 })
    expect(await booksOf(db(), account)).toMatchObject({ leased: 1, inLeases: 1 })
  })

  it('lockout: charges for any number of actions are settled, and shown to who asks', async () => {
    const account = await openAccount(db(), 12_000)
    const { credits } = originProcess(open())
    const reservations = await Promise.all(
      Array.from({ length: 12_000 }, () =>
        credits.reserve({ accountHash: account, keyHash: KEY }, 1),
      ),
    )
    for (const [at, reservation] of reservations.entries())
      reservation.settle('execution', 1, { subject: `action ${at}` })
    const at = new Date()
    const days = { from: dayOf(at, -1), to: dayOf(at, 1) }
    const { rows } = await credits.usage({ accountHash: account, ...days, offset: 0 })
    expect(rows).toHaveLength(12_000)
    expect(await booksOf(db(), account)).toMatchObject({ balance: 0, revenue: 12_000 })
  })

  it('a ledger that is away is not known to be empty', async () => {
    const away = new Proxy(db(), {
      get: () => () => Promise.reject(new Error('connection refused')),
    })
    const { credits, reserve } = originProcess({ db: away })
    await expect(reserve(newAccount(), 1)).rejects.toThrow(CreditsUnavailable)
    await expect(credits.balance(newAccount())).rejects.toThrow(CreditsUnavailable)
  })
}

describe('on the embedded database', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmbedded()
  })
  afterAll(() => database.close())
  leasesHold(() => database)

  it('a start returns what a killed process left', async () => {
    const account = await openAccount(database.db, 5)
    await originProcess(database).reserve(account, 5)
    const next = originProcess(database, { exclusive: true })
    await next.credits.recover()
    expect((await next.reserve(account, 5)).cents).toBe(5)
  })
})

describe.skipIf(whyNoPostgres)(`on a server ${whyNoPostgres ?? ''}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const opened: OpenDatabase[] = []
  let turn = 0
  beforeAll(async () => {
    server = await startPostgres()
    for (let i = 0; i < 8; i++) opened.push(await openDatabase({ url: server.url, stateDir: '' }))
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await server?.close()
  })
  // Each process has a pool of its own.
  leasesHold(() => opened[turn++ % opened.length]!)

  it('starvation: changes of caps of an account that is locked leave connections to others', async () => {
    const [locked, other] = [
      await openAccount(opened[0]!.db, 5),
      await openAccount(opened[0]!.db, 5),
    ]
    const { credits, reserve } = originProcess(opened[0]!)
    const changes: Promise<unknown>[] = []
    await opened[1]!.db.transaction(async (tx) => {
      await lockAccount(tx, locked, { starterCents: 0, at: new Date() })
      for (let count = 0; count < 40; count++) {
        const cap = { capCents: count, windowSeconds: 60 }
        const change = credits.setCap({ accountHash: locked, keyHash: KEY }, cap)
        changes.push(change.catch((error: unknown) => error))
      }
      expect((await reserve(other, 1)).cents).toBe(1)
    })
    const refused = (await Promise.all(changes)).filter(
      (error) => error instanceof CreditsUnavailable,
    )
    expect(refused).toHaveLength(40 - 17)
  })

  it('a database that hangs holds up neither the renewal of leases nor the answers to others', async () => {
    const account = await openAccount(opened[0]!.db, 5)
    const { credits, reserve } = originProcess(opened[0]!, {
      sleep: (ms, signal) => sleep(ms / 20, undefined, signal && { signal }),
    })
    await reserve(account, 1)
    await opened[1]!.db.transaction(async (tx) => {
      await tx.execute('lock table credit_leases in access exclusive mode')
      await expect(credits.answer()).rejects.toThrow(CreditsUnavailable)
      await expect(credits.renew()).rejects.toThrow(CreditsUnavailable)
    })
    await credits.answer()
    await credits.renew()
  })

  it('overdraft: eight processes on one account spend just what it has', async () => {
    const account = await openAccount(opened[0]!.db, 100)
    const processes = opened.map((database) => originProcess(database))
    for (const process of processes) process.live()
    let spent = 0
    const spendAll = async ({ credits, spend }: (typeof processes)[number]) => {
      for (;;) {
        try {
          await spend(account)
          spent++
        } catch (error) {
          if (error instanceof PaymentRequired) return
          throw error
        }
        await credits.flush()
        await sleep(1)
      }
    }
    await Promise.all(processes.map(spendAll))
    expect(spent).toBe(100)
    for (const process of processes) process.kill()
    await Promise.all(processes.map(({ credits }) => credits.close()))
    const books = await expectSoundBooks(opened[0]!.db, account)
    expect(books).toMatchObject({ balance: 0, leased: 0, revenue: 100 })
  })

  it('overdraft: of eight processes that reserve the last cent at once, one gets it', async () => {
    const account = await openAccount(opened[0]!.db, 1)
    const processes = opened.map((database) => originProcess(database))
    for (const process of processes) process.live()
    const tries = await Promise.allSettled(processes.map(({ reserve }) => reserve(account, 1)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of tries)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(PaymentRequired)
    for (const process of processes) process.kill()
  })
})
