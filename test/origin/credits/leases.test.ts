import { expect, it } from 'vitest'
import { RETURN_POLL_MS, LEASE_IDLE_MS } from '../../../origin/credits/account-lease.ts'
import { CREDIT_LEASE_MS, LEASE_USABLE_MS } from '../../../origin/credits/credits.ts'
import {
  CreditsUnavailableError,
  PaymentRequiredError,
} from '../../../origin/credits/credit-errors.ts'
import { RETURN_TIMEOUT_MS } from '../../../origin/credits/wait-queue.ts'
import { abortableSleep } from '../../../origin/timeout.ts'
import { type OpenDatabase } from '../../../origin/db/open.ts'
import { booksOf, KEY, newAccount, openAccount, originProcess, REFERENCE } from './process.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { expectSoundBooks } from './sound-books.ts'
import { counted } from './unreliable-database.ts'

type P = ReturnType<typeof originProcess>

function leasesHold(open: () => OpenDatabase): void {
  const db = () => open().db

  it('grants starter credits to a new account only if they are configured', async () => {
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

  it('double grant: grants starter credits once if many processes open an account at once', async () => {
    const account = newAccount()
    const processes = Array.from({ length: 8 }, () => originProcess(open(), { starterCents: 50 }))
    await Promise.all(processes.map(({ credits }) => credits.balance(account)))
    await Promise.all(processes.map(({ credits }) => credits.balance(account)))
    const { transfers, balance } = await expectSoundBooks(db(), account)
    expect(balance).toBe(50)
    expect(transfers.map(({ idempotencyKey }) => idempotencyKey)).toEqual([`starter:${account}`])
  })

  it('double grant: does not grant starter credits again after they are spent', async () => {
    const account = newAccount()
    const first = originProcess(open(), { starterCents: 2 })
    await first.spend(account, 2)
    await first.credits.close()
    const second = originProcess(open(), { starterCents: 500 })
    expect(await second.credits.balance(account)).toMatchObject({ balance_cents: 0 })
  })

  it('excludes a reservation from the balance, and returns it on release', async () => {
    const { credits, reserve } = originProcess(open())
    const account = await openAccount(db(), 10)
    const reservation = await reserve(account, 4)
    const held = { balance_cents: 6, reserved_cents: 4 }
    expect(await credits.balance(account)).toMatchObject(held)
    reservation.release()
    reservation.release()
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 10, reserved_cents: 0 })
  })

  it('records a charge in the ledger once, with its key and subject', async () => {
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

  it('charges no more than is reserved, and nothing after the reservation is closed', async () => {
    const { credits, reserve } = originProcess(open())
    const account = await openAccount(db(), 10)
    const reservation = await reserve(account, 2)
    expect(() => reservation.settle('write', 3, REFERENCE)).toThrow(RangeError)
    reservation.settle('write', 2, REFERENCE)
    expect(() => reservation.settle('write', 1, REFERENCE)).toThrow(RangeError)
    reservation.release()
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 8 })
  })

  it('queries the database three times for a hundred reservations under one lease', async () => {
    const account = await openAccount(db(), 1_000)
    const { db: watched, asked } = counted(open().db)
    const { spend } = originProcess({ db: watched })
    for (let i = 0; i < 100; i++) await spend(account)
    expect(asked.times).toBe(3)
  })

  it('rejects a reservation above the balance with the required and available cents', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const refused = await reserve(account, 5).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PaymentRequiredError)
    expect(refused).toMatchObject({ requiredCents: 5, balanceCents: 3 })
    expect((await reserve(account, 3)).cents).toBe(3)
  })

  it('grants a small reservation that waits behind one above the balance', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const [large, small] = await Promise.allSettled([reserve(account, 5), reserve(account, 1)])
    expect([large.status, small.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('extends a reservation up to the balance of the account', async () => {
    const { reserve } = originProcess(open())
    const account = await openAccount(db(), 3)
    const reservation = await reserve(account, 1)
    expect(await reservation.extend(2)).toBeUndefined()
    expect(await reservation.extend(1)).toBe('out_of_credits')
    expect(reservation.cents).toBe(3)
  })

  it('lets another process spend five cents that one process holds, within a second', async () => {
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
    await expect(other.spend(account)).rejects.toThrow(PaymentRequiredError)
    holder.kill()
    await Promise.all([other.credits.close(), holder.credits.close()])
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 0, revenue: 5 })
  })

  it('returns 402 without waiting if another process has reserved the credit', async () => {
    const account = await openAccount(db(), 2)
    const holder = originProcess(open())
    holder.live()
    await holder.reserve(account, 2)
    await expect(originProcess(open()).spend(account)).rejects.toThrow(PaymentRequiredError)
    holder.kill()
  })

  it('returns 503 while the holder of the credit does not respond, until its lease expires', async () => {
    const account = await openAccount(db(), 2)
    const clock = { at: Date.now() }
    const dead = originProcess(open(), { clock })
    ;(await dead.reserve(account, 2)).release()
    const alive = originProcess(open(), { clock })
    const refused = alive.spend(account)
    const passing = setInterval(() => (clock.at += 200), 20)
    await expect(refused).rejects.toThrow(CreditsUnavailableError)
    clearInterval(passing)
    clock.at += CREDIT_LEASE_MS
    await alive.spend(account, 2)
    await alive.credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 0, revenue: 2 })
  })

  it('does not return 402 if credit moves between other processes until the deadline', async () => {
    const clock = { at: Date.now() }
    const account = await openAccount(db(), 4)
    const [holder, ...takers] = [1, 2, 3, 4].map(() => originProcess(open(), { clock }))
    const asker = originProcess(open(), {
      clock,
      sleep: async (ms, signal) => {
        if (ms !== RETURN_POLL_MS) return abortableSleep(ms, signal)
        await holder!.credits.returnRequested()
        // The first one takes a cent more than it needs.
        for (const { reserve } of takers) await reserve(account, 1)
        clock.at += RETURN_TIMEOUT_MS
      },
    })
    const held = await holder!.reserve(account, 4)
    held.release()
    await expect(asker.reserve(account, 1)).rejects.toThrow(CreditsUnavailableError)
    await takers[0]!.credits.close()
    expect((await asker.reserve(account, 1)).cents).toBe(1)
  })

  it('keeps a renewed lease, and stops spending from an unrenewed one before others can take it', async () => {
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

  it('keeps an idle lease usable', async () => {
    const account = await openAccount(db(), 100)
    const { credits, spend } = originProcess(open())
    await spend(account)
    for (let i = 0; i < 3; i++) await credits.flush()
    await spend(account, 50)
    expect(await credits.balance(account)).toMatchObject({ balance_cents: 49 })
  })

  it('returns a lease that stays idle', async () => {
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

  it('includes settled charges of one process in the balance at another', async () => {
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

  it('releases credit of one account while waiting for credit of another', async () => {
    const [mine, theirs] = await Promise.all([openAccount(db(), 5), openAccount(db(), 5)])
    const [busy, other, silent] = [1, 2, 3].map(() => originProcess(open())) as [P, P, P]
    ;(await silent.reserve(mine, 5)).release()
    ;(await busy.reserve(theirs, 5)).release()
    busy.live()
    const waits = busy.spend(mine, 5).catch((error: unknown) => error)
    const began = performance.now()
    await other.spend(theirs, 5)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(await waits).toBeInstanceOf(CreditsUnavailableError)
    busy.kill()
  })

  it('settles charges and returns the remaining credit when a process closes', async () => {
    const account = await openAccount(db(), 100)
    const { credits, reserve, spend } = originProcess(open())
    await Promise.all(Array.from({ length: 30 }, () => spend(account)))
    await credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ leased: 0, balance: 70 })
    await expect(reserve(account, 1)).rejects.toThrow(CreditsUnavailableError)
  })
}

let turn = 0
// Each process has its own pool.
onSharedDatabase(8, (open) => leasesHold(() => open(turn++)))
