import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, like } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { AllowanceReservation } from '../../../origin/credits/allowance-reservation.ts'
import { CREDIT_LEASE_MS } from '../../../origin/credits/credits.ts'
import {
  AllowanceExhaustedError,
  RunsInFlightError,
} from '../../../origin/credits/credit-errors.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { windowSums } from '../../../origin/db/schema.ts'
import {
  EXECUTION_WALL_MS,
  FAILED_EXECUTION_MS,
  FAILED_EXECUTION_PAIRS,
} from '../../../shared/limits.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { KEY, newAccount, onceKnown, openAccount, originProcess } from './process.ts'
import { counted, losingAnswers } from './unreliable-database.ts'

const OTHER_KEY = `0x${'cd'.repeat(32)}`
const CID = 'QmAction'
const PROCESSES = 8

type Db = OpenDatabase['db']
type Process = ReturnType<typeof originProcess>
type What = { key?: string; cid?: string; wallMs?: number }

function admit(
  { credits }: Process,
  accountHash: string,
  what: What = {},
): Promise<AllowanceReservation> {
  const { key = KEY, cid = CID, wallMs = EXECUTION_WALL_MS } = what
  return credits.admit({ accountHash, keyHash: key }, { cid, wallMs, bytes: 0 })
}

/** A run that fails after `ms`. */
async function fail(process: Process, account: string, ms: number, what: What = {}): Promise<void> {
  const run = await admit(process, account, what)
  run.finish(ms, { failed: true })
}

/** A run that succeeds after 5 ms, so that the expected time of such runs is known. */
async function showQuick(process: Process, account: string): Promise<void> {
  const run = await admit(process, account)
  run.finish(5, { failed: false })
}

async function failedMs(db: Db, account: string, series = 'failed'): Promise<number> {
  const rows = await db
    .select()
    .from(windowSums)
    .where(and(eq(windowSums.accountHash, account), like(windowSums.series, series)))
  return rows.reduce((sum, { amount }) => sum + amount, 0)
}

const errorOf = (tried: Promise<unknown>) =>
  tried.then(
    () => undefined,
    (error: unknown) => error,
  )

onSharedDatabase(PROCESSES, (open) => {
  const db = () => open(0).db
  const clockNow = () => ({ at: Date.UTC(2026, 5, 1, 12) })

  it('free compute: limits 64 concurrent failures to one minute', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, () => fail(process, account, 2_000)),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    for (const tried of tries)
      if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(AllowanceExhaustedError)
    await process.credits.flush()
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
    expect(await failedMs(db(), account, `failed/${KEY}/${CID}`)).toBe(FAILED_EXECUTION_MS)
  })

  it('starts 64 quick runs at once when the first has shown how long they take', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    let first = true
    const one = async () => {
      const run = await admit(process, account)
      // The first run reserves the entire allowance.
      if (first) await sleep(20)
      first = false
      run.finish(5, { failed: false })
    }
    await Promise.all(Array.from({ length: 64 }, one))
    await process.credits.close()
    expect(await failedMs(db(), account)).toBe(0)
  })

  it('charges no allowance for a run that succeeds or never starts', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    for (let i = 0; i < 10; i++) {
      const run = await admit(process, account)
      if (i % 2 === 0) run.finish(50_000, { failed: false })
      else run.release()
    }
    await process.credits.close()
    expect(await failedMs(db(), account)).toBe(0)
  })

  it('raises the failure allowance of a key by its payments, for an hour', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0), { clock })
    const reservation = await process.reserve(account, 30)
    reservation.settle('execution', 30, { subject: 'QmOther' })
    await process.credits.flush()
    await fail(process, account, 60_000)
    await fail(process, account, 30_000)
    expect(await errorOf(admit(process, account))).toBeInstanceOf(AllowanceExhaustedError)
    await fail(process, account, 60_000, { key: OTHER_KEY })
    const refused = await errorOf(admit(process, account, { key: OTHER_KEY }))
    expect(refused).toBeInstanceOf(AllowanceExhaustedError)
  })

  it('applies a spent allowance to its key and action only, and reports when more is available', async () => {
    const clock = clockNow()
    const account = newAccount()
    const process = originProcess(open(0), { clock })
    await fail(process, account, 30_000)
    await process.credits.flush()
    clock.at += 600_000
    await fail(process, account, 30_000)
    const refused = await errorOf(admit(process, account))
    expect(refused).toMatchObject({ of: 'pair', retryAfterMs: 51 * 60_000 })
    const others = [{ key: OTHER_KEY }, { cid: 'QmOther' }]
    for (const what of others) (await admit(process, account, what)).release()
    clock.at += 51 * 60_000
    const wallMs = 20_000
    await fail(process, account, 20_000, { wallMs })
    await fail(process, account, 10_000, { wallMs })
    expect(await errorOf(admit(process, account))).toBeInstanceOf(AllowanceExhaustedError)
  })

  it('free compute: limits actions that differ only by a comment to the account’s allowance', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    for (let i = 0; i < FAILED_EXECUTION_PAIRS; i++)
      await fail(process, account, FAILED_EXECUTION_MS, { cid: `QmComment${i}` })
    const refused = await errorOf(admit(process, account, { cid: 'QmOneMore' }))
    expect(refused).toMatchObject({ name: 'AllowanceExhaustedError', of: 'account' })
    ;(await admit(process, newAccount(), { cid: 'QmOneMore' })).release()
  })

  it('free compute: eight processes together use no more than a single one may', async () => {
    const account = newAccount()
    const processes = Array.from({ length: PROCESSES }, (_, index) => originProcess(open(index)))
    for (const process of processes) process.live()
    let used = 0
    const failAll = async (process: Process) => {
      for (;;) {
        const refused = await errorOf(
          onceKnown(() => admit(process, account, { wallMs: 3_000 })).then((run) => {
            used += 3_000
            run.finish(3_000, { failed: true })
          }),
        )
        if (refused instanceof AllowanceExhaustedError) return
        if (refused && !(refused instanceof RunsInFlightError)) throw refused
        await process.credits.flush()
      }
    }
    await Promise.all(processes.map(failAll))
    for (const process of processes) process.kill()
    await Promise.all(processes.map(({ credits }) => credits.close()))
    expect(used).toBe(FAILED_EXECUTION_MS)
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
  })

  it('does not renew the allowance when a process starts', async () => {
    const account = newAccount()
    const before = originProcess(open(0))
    await fail(before, account, FAILED_EXECUTION_MS)
    await before.credits.close()
    const refused = await errorOf(admit(originProcess(open(1)), account))
    expect(refused).toBeInstanceOf(AllowanceExhaustedError)
  })

  it('lets a run without concurrent runs continue to its own limits, and counts it', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    const run = await admit(process, account)
    expect(await run.extend(61_000)).toBe(true)
    expect(await run.extend(100_000)).toBe(true)
    run.finish(100_000, { failed: true })
    await process.credits.flush()
    expect(await failedMs(db(), account)).toBe(100_000)
    expect(await errorOf(admit(process, account))).toBeInstanceOf(AllowanceExhaustedError)
  })

  it('stops one of several runs when nothing is left', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    await showQuick(process, account)
    const [one, other] = [await admit(process, account), await admit(process, account)]
    expect(await one.extend(58_000)).toBe(true)
    other.release()
    expect(await one.extend(60_000)).toBe(true)
    expect(await one.extend(61_000)).toBe(false)
  })

  it('stops a run at the limit if another process has a run in flight', async () => {
    const account = newAccount()
    const [here, there] = [originProcess(open(0)), originProcess(open(1))]
    here.live()
    there.live()
    await showQuick(here, account)
    await showQuick(there, account)
    const run = await admit(here, account)
    const other = await admit(there, account)
    expect(await run.extend(58_000)).toBe(true)
    expect(await run.extend(60_000)).toBe(false)
    other.release()
    here.kill()
    there.kill()
  })

  it('free compute: stops a lone run when the account has nothing left', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    for (let i = 0; i < FAILED_EXECUTION_PAIRS - 1; i++)
      await fail(process, account, FAILED_EXECUTION_MS, { cid: `QmComment${i}` })
    const run = await admit(process, account)
    expect(await run.extend(60_000)).toBe(true)
    expect(await run.extend(61_000)).toBe(false)
  })

  it('rejects a waiting run with a retry time if the runs in flight do not finish', async () => {
    const clock = clockNow()
    const account = newAccount()
    const process = originProcess(open(0), { clock })
    const first = await admit(process, account)
    const waits = errorOf(admit(process, account))
    const passing = setInterval(() => (clock.at += 200), 10)
    const refused = await waits
    clearInterval(passing)
    expect(refused).toBeInstanceOf(RunsInFlightError)
    expect(refused).toMatchObject({ retryAfterMs: 1_000 })
    first.finish(1_000, { failed: false })
    ;(await admit(process, account)).release()
  })

  it('frees a reservation at another process when its run finishes', async () => {
    const account = newAccount()
    const [here, there] = [originProcess(open(0)), originProcess(open(1))]
    there.live()
    const first = await admit(there, account)
    const waits = admit(here, account)
    await sleep(100)
    first.finish(5, { failed: false })
    ;(await waits).release()
    there.kill()
  })

  it('recovers the sub-allocation of a killed process', async () => {
    const clock = clockNow()
    const account = newAccount()
    const [dead, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await admit(dead, account)
    clock.at += CREDIT_LEASE_MS + 1
    await fail(alive, account, FAILED_EXECUTION_MS)
    await alive.credits.flush()
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
  })

  it('double counting: counts the failures of a resent order once', async () => {
    const account = newAccount()
    const losing = losingAnswers(db())
    const process = originProcess(losing)
    await fail(process, account, 20_000, { wallMs: 20_000 })
    losing.lose = true
    await process.credits.flush()
    await process.credits.close()
    losing.lose = false
    await process.credits.flush()
    expect(await failedMs(db(), account)).toBe(20_000)
  })

  it('queries the database once a second while a spent allowance is flooded with runs', async () => {
    const clock = clockNow()
    const account = newAccount()
    const { db: counting, asked } = counted(db())
    const process = originProcess({ db: counting }, { clock })
    await fail(process, account, FAILED_EXECUTION_MS)
    await errorOf(admit(process, account))
    asked.times = 0
    for (let i = 0; i < 100; i++)
      expect(await errorOf(admit(process, account))).toBeInstanceOf(AllowanceExhaustedError)
    expect(asked.times).toBe(0)
    clock.at += 1_000
    await errorOf(admit(process, account))
    expect(asked.times).toBe(1)
  })

  it('queries the database once for a hundred runs under one lease', async () => {
    const account = newAccount()
    const { db: counting, asked } = counted(db())
    const process = originProcess({ db: counting })
    for (let i = 0; i < 100; i++) await showQuick(process, account)
    expect(asked.times).toBe(1)
  })
})
