import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CREDIT_LEASE_MS } from '../../../origin/credits/credits.ts'
import { executeInTransaction } from '../../../origin/credits/execute-order.ts'
import {
  CreditsUnavailableError,
  PaymentRequiredError,
  SpendCapReachedError,
} from '../../../origin/credits/credit-errors.ts'
import { booksOf, KEY, newAccount, openAccount, originProcess } from './process.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { expectSoundBooks } from './sound-books.ts'
import { losingAnswers, slowAnswers, away } from './unreliable-database.ts'

const OTHER_KEY = `0x${'cd'.repeat(32)}`

/** Returns the UTC day `days` days after `at`. */
function dayOf(at: Date, days: number): string {
  return new Date(at.getTime() + days * 86_400_000).toISOString().slice(0, 10)
}

onSharedDatabase(8, (opened) => {
  let turn = 0
  // Each process has its own pool.
  const open = () => opened(turn++)
  const db = () => open().db

  it('late charge: charges a process that was presumed dead from available credit only, never into debt', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const slow = originProcess(open(), { clock })
    await slow.spend(account, 6)
    clock.at += CREDIT_LEASE_MS + 1
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

  it('double charge: settles an order once if its response was lost and it is sent again', async () => {
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

  it('double charge: settles a resent order once even if its lease expired in between', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const losing = losingAnswers(db())
    const { credits, spend } = originProcess(losing, { clock })
    await spend(account, 2)
    losing.lose = true
    await credits.flush()
    clock.at += CREDIT_LEASE_MS + 1
    await originProcess(open(), { clock }).credits.renew()
    losing.lose = false
    await credits.close()
    expect(await expectSoundBooks(db(), account)).toMatchObject({ balance: 8, revenue: 2 })
  })

  it('cap exceeded: does not spend a sub-allocation that expired with its lease after a repeated order', async () => {
    const account = await openAccount(db(), 200)
    const clock = { at: Date.now() }
    const losing = losingAnswers(db())
    const [slow, other] = [originProcess(losing, { clock }), originProcess(open(), { clock })]
    const cap = { capCents: 10, windowSeconds: 3_600 }
    await slow.credits.setCap({ accountHash: account, keyHash: KEY }, cap)
    await slow.spend(account)
    await slow.credits.flush()
    clock.at += CREDIT_LEASE_MS + 1
    await other.spend(account, 9)
    await other.credits.flush()
    losing.lose = true
    await expect(slow.spend(account, 1, OTHER_KEY)).rejects.toThrow(CreditsUnavailableError)
    losing.lose = false
    // Repeats the lost order first.
    await slow.spend(account, 1, OTHER_KEY)
    await expect(slow.spend(account)).rejects.toThrow(SpendCapReachedError)
    await Promise.all([slow.credits.close(), other.credits.close()])
    expect(await expectSoundBooks(db(), account)).toMatchObject({ revenue: 11 })
  })

  it('does not expire a lease while its process spends from it and its order is resent', async () => {
    const account = await openAccount(db(), 10)
    const clock = { at: Date.now() }
    const losing = losingAnswers(db())
    const { credits, spend, reserve } = originProcess(losing, { clock })
    await spend(account, 2)
    const underWay = await reserve(account, 1)
    losing.lose = true
    await credits.flush()
    losing.lose = false
    clock.at += CREDIT_LEASE_MS - 1_000
    await credits.flush()
    clock.at += 2_000
    await originProcess(open(), { clock }).credits.renew()
    expect(await booksOf(db(), account)).toMatchObject({ revenue: 2 })
    expect((await booksOf(db(), account)).inLeases).toBeGreaterThan(0)
    underWay.release()
    await credits.close()
  })

  it('double spending: does not reserve credit that is being returned', async () => {
    const account = await openAccount(db(), 5)
    const slow = slowAnswers(db())
    const [holder, other] = [originProcess(slow), originProcess(open())]
    ;(await holder.reserve(account, 5)).release()
    const taking = other.reserve(account, 5)
    await sleep(50)
    other.live()
    slow.hold()
    await holder.credits.returnRequested()
    await taking
    const twice = holder.reserve(account, 5)
    slow.answer()
    await expect(twice).rejects.toThrow(PaymentRequiredError)
    other.kill()
  })

  it('ignores an order that arrives after a newer one', async () => {
    const account = await openAccount(db(), 10)
    const at = new Date()
    const terms = {
      processId: 'p',
      starterCents: 0,
      at,
      expiresAt: new Date(+at + CREDIT_LEASE_MS),
    }
    const ordered = (sequence: number, need: number) =>
      db().transaction((tx) =>
        executeInTransaction(
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

  it('lockout: settles and lists charges for any number of actions', async () => {
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

  it('does not report an unavailable ledger as empty', async () => {
    const { credits, reserve } = originProcess({ db: away(db()) })
    await expect(reserve(newAccount(), 1)).rejects.toThrow(CreditsUnavailableError)
    await expect(credits.balance(newAccount())).rejects.toThrow(CreditsUnavailableError)
  })
})
