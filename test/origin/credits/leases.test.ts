import { expect, it } from 'vitest'
import { ASK_LOOK_MS, LEASE_IDLE_MS } from '../../../origin/credits/account-lease.ts'
import { LEASE_MS, LEASE_USABLE_MS } from '../../../origin/credits/credits.ts'
import { CreditsUnavailable, PaymentRequired } from '../../../origin/credits/shortage.ts'
import { ASK_WAIT_MS } from '../../../origin/credits/waiting.ts'
import { sleep } from '../../../origin/db/in-time.ts'
import { type OpenDatabase } from '../../../origin/db/open.ts'
import { booksOf, KEY, newAccount, openAccount, originProcess, REFERENCE } from './process.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { expectSoundBooks } from './sound-books.ts'
import { counted } from './unreliable-database.ts'

type P = ReturnType<typeof originProcess>

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
    const { db: watched, asked } = counted(open().db)
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

  it('credit that moves between other processes until the deadline is not a 402', async () => {
    const clock = { at: Date.now() }
    const account = await openAccount(db(), 4)
    const [holder, ...takers] = [1, 2, 3, 4].map(() => originProcess(open(), { clock }))
    const asker = originProcess(open(), {
      clock,
      sleep: async (ms, signal) => {
        if (ms !== ASK_LOOK_MS) return sleep(ms, signal)
        await holder!.credits.answer()
        // The first of them takes a cent more than it needs.
        for (const { reserve } of takers) await reserve(account, 1)
        clock.at += ASK_WAIT_MS
      },
    })
    const held = await holder!.reserve(account, 4)
    held.release()
    await expect(asker.reserve(account, 1)).rejects.toThrow(CreditsUnavailable)
    await takers[0]!.credits.close()
    expect((await asker.reserve(account, 1)).cents).toBe(1)
  })

  it('a renewed lease stays; one that is not renewed is not spent from before others take it', async () => {
    const account = await openAccount(db(), 100)
    const clock = { at: Date.now() }
    const { db: watched, asked } = counted(open().db)
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
}

let turn = 0
// Each process has a pool of its own.
onSharedDatabase(8, (open) => leasesHold(() => open(turn++)))
