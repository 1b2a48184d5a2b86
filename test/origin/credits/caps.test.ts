import { and, eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { CREDIT_LEASE_MS } from '../../../origin/credits/credits.ts'
import {
  CreditsUnavailableError,
  PaymentRequiredError,
  SpendCapReachedError,
} from '../../../origin/credits/credit-errors.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { creditLeases, leaseParts, ledgerTransfers, windowSums } from '../../../origin/db/schema.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { booksOf, KEY, onceKnown, openAccount, originProcess, REFERENCE } from './process.ts'
import { counted, losingAnswers, slowAnswers } from './unreliable-database.ts'

const OTHER_KEY = `0x${'cd'.repeat(32)}`
const HOUR = 3_600
const PROCESSES = 8

type Db = OpenDatabase['db']

async function chargedTo(db: Db, account: string, keyHash = KEY): Promise<number> {
  const rows = await db
    .select({ cents: ledgerTransfers.cents })
    .from(ledgerTransfers)
    .where(and(eq(ledgerTransfers.accountHash, account), eq(ledgerTransfers.keyHash, keyHash)))
  return rows.reduce((sum, { cents }) => sum + cents, 0)
}

async function leasesOf(db: Db, account: string): Promise<number> {
  const rows = await db.select().from(creditLeases).where(eq(creditLeases.accountHash, account))
  return rows.length
}

async function heldUnderCap(db: Db, account: string): Promise<number> {
  const rows = await db.select().from(leaseParts).where(eq(leaseParts.accountHash, account))
  return rows.reduce((sum, { held }) => sum + held, 0)
}

/**
 * Spends one cent at a time until a reservation is rejected.
 * @returns the cents spent and the error
 */
async function spendAll(process: ReturnType<typeof originProcess>, account: string) {
  for (let spent = 0; ; spent++) {
    try {
      await onceKnown(() => process.spend(account))
    } catch (refusal) {
      return { spent, refusal }
    }
    if (spent % 5 === 0) await process.credits.flush()
  }
}

onSharedDatabase(PROCESSES, (open) => {
  const db = () => open(0).db
  const clockNow = () => ({ at: Date.UTC(2026, 5, 1, 12) })

  it('limits a key to its cap, but not other keys of the account', async () => {
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0))
    await process.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 3, windowSeconds: HOUR },
    )
    const { spent, refusal } = await spendAll(process, account)
    expect(spent).toBe(3)
    expect(refusal).toBeInstanceOf(SpendCapReachedError)
    await process.spend(account, 5, OTHER_KEY)
    await process.credits.close()
    expect(await chargedTo(db(), account)).toBe(3)
  })

  it('rejects with the required and remaining cents, and with the time when more are available', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0), { clock })
    await process.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: HOUR },
    )
    await process.spend(account, 7)
    await process.credits.flush()
    const refusal = await process.reserve(account, 4).catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      requiredCents: 4,
      leftCents: 3,
      capCents: 10,
      windowSeconds: HOUR,
      nextLeavesAt: new Date(clock.at + 61 * 60_000),
    })
    expect((await process.reserve(account, 3)).cents).toBe(3)
  })

  it('rejects everything under a cap of 0, but reports missing credit first', async () => {
    const [rich, poor] = [await openAccount(db(), 10), await openAccount(db(), 0)]
    const process = originProcess(open(0))
    for (const accountHash of [rich, poor])
      await process.credits.setCap(
        { accountHash, keyHash: KEY },
        { capCents: 0, windowSeconds: HOUR },
      )
    await expect(process.reserve(rich, 1)).rejects.toThrow(SpendCapReachedError)
    await expect(process.reserve(poor, 1)).rejects.toThrow(PaymentRequiredError)
    expect((await process.credits.balance(rich)).balance_cents).toBe(10)
  })

  it('requests missing credit and a missing sub-allocation in one order', async () => {
    const account = await openAccount(db(), 100)
    const plain = originProcess(open(0))
    await plain.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 50, windowSeconds: HOUR },
    )
    const { db: counting, asked } = counted(db())
    const process = originProcess({ db: counting })
    await process.spend(account)
    expect(asked.times).toBe(1)
    for (let i = 0; i < 10; i++) await process.spend(account)
    expect(asked.times).toBe(1)
  })

  it('overspending: eight processes spend exactly the cap, and are then rejected', async () => {
    const account = await openAccount(db(), 1_000)
    const processes = Array.from({ length: PROCESSES }, (_, index) => originProcess(open(index)))
    await processes[0]!.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 100, windowSeconds: HOUR },
    )
    for (const process of processes) process.live()
    const ended = await Promise.all(processes.map((process) => spendAll(process, account)))
    for (const process of processes) process.kill()
    for (const { refusal } of ended) expect(refusal).toBeInstanceOf(SpendCapReachedError)
    expect(ended.reduce((sum, { spent }) => sum + spent, 0)).toBe(100)
    await Promise.all(processes.map(({ credits }) => credits.close()))
    expect(await chargedTo(db(), account)).toBe(100)
    expect(await heldUnderCap(db(), account)).toBe(0)
  })

  it('overspending: lets only one of eight processes spend the last cent under a cap', async () => {
    const account = await openAccount(db(), 8)
    const processes = Array.from({ length: PROCESSES }, (_, index) => originProcess(open(index)))
    await processes[0]!.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 1, windowSeconds: HOUR },
    )
    for (const process of processes) process.live()
    const tries = await Promise.allSettled(
      processes.map(({ reserve }) => onceKnown(() => reserve(account, 1))),
    )
    for (const process of processes) process.kill()
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of tries)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(SpendCapReachedError)
  })

  it('enforces a cap once it is set, even if others were spending without one', async () => {
    const account = await openAccount(db(), 1_000)
    const [one, other] = [originProcess(open(0)), originProcess(open(1))]
    one.live()
    other.live()
    await one.spend(account, 20)
    await other.spend(account, 20)
    await one.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 50, windowSeconds: HOUR },
    )
    const [first, second] = await Promise.all([spendAll(one, account), spendAll(other, account)])
    expect(first.spent + second.spent).toBe(10)
    one.kill()
    other.kill()
  })

  it('charges earlier reservations without a cap, and counts them under the cap', async () => {
    const account = await openAccount(db(), 1_000)
    const [one, other] = [originProcess(open(0)), originProcess(open(1))]
    other.live()
    const reserved = await other.reserve(account, 30)
    await one.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 20, windowSeconds: HOUR },
    )
    expect(await reserved.extend(1)).toBe('spend_cap_reached')
    await expect(one.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    reserved.settle('write', 30, { subject: 'add_group' })
    // Flush skips a lease with an order in progress, and the rejection above may have started one.
    const charged = async () => {
      await other.credits.flush()
      return chargedTo(db(), account)
    }
    await expect.poll(charged, { timeout: 60_000 }).toBe(30)
    expect(await one.credits.caps(account)).toEqual([
      { keyHash: KEY, capCents: 20, windowSeconds: HOUR, spentCents: 30 },
    ])
    other.kill()
  })

  it('charges what was reserved while an order was in flight that learned of a new cap', async () => {
    const account = await openAccount(db(), 100)
    const slow = slowAnswers(db())
    const [one, other] = [originProcess(slow), originProcess(open(1))]
    slow.hold()
    const first = one.reserve(account, 1)
    await expect.poll(() => leasesOf(db(), account)).toBe(1)
    // Its order follows the held one, and names the sub-allocation, which has no limit yet.
    const second = one.reserve(account, 1)
    const setting = other.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 1, windowSeconds: HOUR },
    )
    await expect.poll(() => other.credits.caps(account)).toHaveLength(1)
    slow.answer()
    const reserved = await Promise.all([first, second])
    one.live()
    await setting
    for (const reservation of reserved) reservation.settle('write', 1, REFERENCE)
    await one.credits.close()
    expect(await chargedTo(db(), account)).toBe(2)
    expect(one.logs).not.toContain('credits.unpaid')
    one.kill()
  })

  it('overspending: leases nothing of a new cap until each process has reported its reservations', async () => {
    const account = await openAccount(db(), 100)
    const [one, other, third] = [0, 1, 2].map((index) => originProcess(open(index)))
    const reserved = await one!.reserve(account, 3)
    const setting = other!.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 3, windowSeconds: HOUR },
    )
    await expect.poll(() => other!.credits.caps(account)).toHaveLength(1)
    await expect(third!.reserve(account, 1)).rejects.toThrow(CreditsUnavailableError)
    one!.live()
    await setting
    await expect(third!.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    reserved.settle('write', 3, REFERENCE)
    await one!.credits.close()
    expect(await chargedTo(db(), account)).toBe(3)
    one!.kill()
  })

  it('overspending: does not reserve cents again beyond a later cap once they are released', async () => {
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0))
    const [stays, goes] = [await process.reserve(account, 5), await process.reserve(account, 3)]
    const payer = { accountHash: account, keyHash: KEY }
    await process.credits.setCap(payer, { capCents: 4, windowSeconds: HOUR })
    goes.release()
    await expect(process.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    stays.release()
    await process.spend(account, 4)
    await expect(process.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    await process.credits.close()
    expect(await chargedTo(db(), account)).toBe(4)
  })

  it('applies a lowered, raised or removed cap at every process once it is set', async () => {
    const account = await openAccount(db(), 1_000)
    const payer = { accountHash: account, keyHash: KEY }
    const [one, other] = [originProcess(open(0)), originProcess(open(1))]
    other.live()
    await one.credits.setCap(payer, { capCents: 100, windowSeconds: HOUR })
    await other.spend(account, 2)
    await one.credits.setCap(payer, { capCents: 3, windowSeconds: HOUR })
    await other.spend(account, 1)
    await expect(other.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    await one.credits.setCap(payer, { capCents: 4, windowSeconds: HOUR })
    await other.spend(account, 1)
    await expect(other.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    await one.credits.setCap(payer, null)
    await other.spend(account, 50)
    expect(await one.credits.caps(account)).toEqual([])
    other.kill()
  })

  it('drops spending from the window when it is over, and never before', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const process = originProcess(open(0), { clock })
    await process.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: 600 },
    )
    await process.spend(account, 6)
    await process.credits.flush()
    clock.at += 300_000
    await process.spend(account, 4)
    await process.credits.flush()
    clock.at += 300_000
    await expect(process.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    clock.at += 10_000
    await process.spend(account, 6)
    await expect(process.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
  })

  it('counts spending from before a cap was set or its window was changed', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const payer = { accountHash: account, keyHash: KEY }
    const process = originProcess(open(0), { clock })
    await process.spend(account, 5)
    await process.credits.flush()
    clock.at += 1_000_000
    await process.spend(account, 2)
    await process.spend(account, 40, OTHER_KEY)
    await process.credits.setCap(payer, { capCents: 10, windowSeconds: 600 })
    expect(await process.credits.caps(account)).toMatchObject([{ spentCents: 2 }])
    await process.credits.setCap(payer, { capCents: 10, windowSeconds: HOUR })
    expect(await process.credits.caps(account)).toMatchObject([{ spentCents: 7 }])
  })

  it('recovers the sub-allocation of a killed process', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const [dead, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await alive.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: HOUR },
    )
    await dead.reserve(account, 10)
    const refused = alive.reserve(account, 1)
    const passing = setInterval(() => (clock.at += 200), 10)
    await expect(refused).rejects.toThrow(CreditsUnavailableError)
    clearInterval(passing)
    clock.at += CREDIT_LEASE_MS
    expect((await alive.reserve(account, 10)).cents).toBe(10)
  })

  it('sets a cap although a killed process holds credit', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const [dead, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await dead.reserve(account, 10)
    const passing = setInterval(() => (clock.at += 1_000), 10)
    await alive.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 1, windowSeconds: HOUR },
    )
    clearInterval(passing)
    await expect(alive.reserve(account, 2)).rejects.toThrow(SpendCapReachedError)
  })

  it('overspending: does not charge a process that was presumed dead beyond the cap', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const [slow, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await alive.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: HOUR },
    )
    await slow.spend(account, 8)
    clock.at += CREDIT_LEASE_MS + 1
    await alive.spend(account, 7)
    await alive.credits.close()
    await slow.credits.flush()
    expect(slow.logs).toContain('credits.unpaid')
    expect(await chargedTo(db(), account)).toBe(10)
    await expect(slow.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
  })

  it('does not spend from a former sub-allocation after its lease was lost', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 1_000)
    const [slow, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await alive.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: HOUR },
    )
    await slow.spend(account, 1)
    await slow.credits.flush()
    clock.at += CREDIT_LEASE_MS + 1
    await alive.reserve(account, 9)
    // An order for credit alone makes the lease usable again, but not its former sub-allocations.
    await slow.spend(account, 50, OTHER_KEY)
    alive.live()
    await expect(slow.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    alive.kill()
  })

  it('double counting: counts charges of a resent order in the window once', async () => {
    const account = await openAccount(db(), 100)
    const losing = losingAnswers(db())
    const process = originProcess(losing)
    await process.credits.setCap(
      { accountHash: account, keyHash: KEY },
      { capCents: 10, windowSeconds: HOUR },
    )
    await process.spend(account, 4)
    losing.lose = true
    await process.credits.flush()
    await process.credits.flush()
    losing.lose = false
    expect(await process.credits.caps(account)).toMatchObject([{ spentCents: 4 }])
    await process.spend(account, 6)
    await expect(process.reserve(account, 1)).rejects.toThrow(SpendCapReachedError)
    await process.credits.close()
    expect(await chargedTo(db(), account)).toBe(10)
    expect((await booksOf(db(), account)).leased).toBe(0)
  })

  it('stores no spending sums for a key without a cap', async () => {
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0))
    await process.spend(account, 4)
    await process.credits.close()
    const sums = await db().select().from(windowSums).where(eq(windowSums.accountHash, account))
    expect(sums).toEqual([])
    expect(await process.credits.caps(account)).toEqual([])
  })
})
