import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockAccount } from '../../../origin/credits/ledger.ts'
import {
  CreditsUnavailableError,
  PaymentRequiredError,
} from '../../../origin/credits/credit-errors.ts'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import { booksOf, KEY, onceKnown, openAccount, originProcess } from './process.ts'
import { expectSoundBooks } from './sound-books.ts'

describe('processes on a database server', () => {
  let server: FreshDatabase
  const opened: OpenDatabase[] = []
  beforeAll(async () => {
    server = await freshDatabase()
    for (let i = 0; i < 8; i++) opened.push(await openDatabase({ url: server.url }))
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await server?.drop()
  })

  it('recover at startup what their predecessor held, and nothing that others hold', async () => {
    const { db } = opened[0]!
    const [account, other] = [await openAccount(db, 5), await openAccount(db, 5)]
    const killed = originProcess(opened[0]!)
    await killed.reserve(account, 5)
    await originProcess(opened[1]!).reserve(other, 5)
    const next = originProcess(opened[0]!, { predecessor: killed.processId })
    await next.credits.recover()
    expect((await next.reserve(account, 5)).cents).toBe(5)
    expect((await booksOf(db, other)).leased).toBeGreaterThanOrEqual(5)
  })

  it('starvation: leave connections for others while cap changes wait for a locked account', async () => {
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
      (error) => error instanceof CreditsUnavailableError,
    )
    expect(refused).toHaveLength(40 - 17)
  })

  it('fail renewals and answers to others on a hung database, and continue afterwards', async () => {
    const account = await openAccount(opened[0]!.db, 5)
    const { credits, reserve } = originProcess(opened[0]!, {
      sleep: (ms, signal) => sleep(ms / 20, undefined, signal && { signal }),
    })
    await reserve(account, 1)
    await opened[1]!.db.transaction(async (tx) => {
      await tx.execute('lock table credit_leases in access exclusive mode')
      await expect(credits.returnRequested()).rejects.toThrow(CreditsUnavailableError)
      await expect(credits.renew()).rejects.toThrow(CreditsUnavailableError)
    })
    await credits.returnRequested()
    await credits.renew()
  })

  it('overdraft: eight processes spend exactly what one account has', async () => {
    const account = await openAccount(opened[0]!.db, 100)
    const processes = opened.map((database) => originProcess(database))
    for (const process of processes) process.live()
    let spent = 0
    const spendAll = async ({ credits, spend }: (typeof processes)[number]) => {
      for (;;) {
        try {
          await onceKnown(() => spend(account))
          spent++
        } catch (error) {
          if (error instanceof PaymentRequiredError) return
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

  it('overdraft: only one of eight processes that reserve the last cent at once gets it', async () => {
    const account = await openAccount(opened[0]!.db, 1)
    const processes = opened.map((database) => originProcess(database))
    for (const process of processes) process.live()
    const tries = await Promise.allSettled(
      processes.map(({ reserve }) => onceKnown(() => reserve(account, 1))),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of tries)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(PaymentRequiredError)
    for (const process of processes) process.kill()
  })
})
