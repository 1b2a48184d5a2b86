import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, like } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { AllowedRun } from '../../../origin/credits/allowed-run.ts'
import { LEASE_MS } from '../../../origin/credits/credits.ts'
import { FailedExecutionAllowance, RunsInFlight } from '../../../origin/credits/shortage.ts'
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

function admit({ credits }: Process, accountHash: string, what: What = {}): Promise<AllowedRun> {
  const { key = KEY, cid = CID, wallMs = EXECUTION_WALL_MS } = what
  return credits.admit({ accountHash, keyHash: key }, { cid, wallMs, bytes: 0 })
}

/** A run that fails after so long. */
async function fail(process: Process, account: string, ms: number, what: What = {}): Promise<void> {
  const run = await admit(process, account, what)
  run.ended(ms, { failed: true })
}

/** A run that takes 5 ms and succeeds, so that it is known how long such runs take. */
async function showQuick(process: Process, account: string): Promise<void> {
  const run = await admit(process, account)
  run.ended(5, { failed: false })
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

  it('free compute: 64 failures at once stay inside a minute', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, () => fail(process, account, 2_000)),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    for (const tried of tries)
      if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(FailedExecutionAllowance)
    await process.credits.flush()
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
    expect(await failedMs(db(), account, `failed/${KEY}/${CID}`)).toBe(FAILED_EXECUTION_MS)
  })

  it('64 quick runs at once all begin once the first has shown how long it takes', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    let first = true
    const one = async () => {
      const run = await admit(process, account)
      // What is reserved for the first is all there is.
      if (first) await sleep(20)
      first = false
      run.ended(5, { failed: false })
    }
    await Promise.all(Array.from({ length: 64 }, one))
    await process.credits.close()
    expect(await failedMs(db(), account)).toBe(0)
  })

  it('a run that succeeds, or never begins, uses nothing', async () => {
    const process = originProcess(open(0))
    const account = newAccount()
    for (let i = 0; i < 10; i++) {
      const run = await admit(process, account)
      if (i % 2 === 0) run.ended(50_000, { failed: false })
      else run.release()
    }
    await process.credits.close()
    expect(await failedMs(db(), account)).toBe(0)
  })

  it('what a key has paid for is added to what its actions may use by failing, for an hour', async () => {
    const clock = clockNow()
    const account = await openAccount(db(), 100)
    const process = originProcess(open(0), { clock })
    const reservation = await process.reserve(account, 30)
    reservation.settle('execution', 30, { subject: 'QmOther' })
    await process.credits.flush()
    await fail(process, account, 60_000)
    await fail(process, account, 30_000)
    expect(await errorOf(admit(process, account))).toBeInstanceOf(FailedExecutionAllowance)
    await fail(process, account, 60_000, { key: OTHER_KEY })
    const refused = await errorOf(admit(process, account, { key: OTHER_KEY }))
    expect(refused).toBeInstanceOf(FailedExecutionAllowance)
  })

  it('a spent allowance is for its key and action alone, and says when there is more', async () => {
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
    expect(await errorOf(admit(process, account))).toBeInstanceOf(FailedExecutionAllowance)
  })

  it('free compute: another action by a comment is bounded by what the account has', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    for (let i = 0; i < FAILED_EXECUTION_PAIRS; i++)
      await fail(process, account, FAILED_EXECUTION_MS, { cid: `QmComment${i}` })
    const refused = await errorOf(admit(process, account, { cid: 'QmOneMore' }))
    expect(refused).toMatchObject({ name: 'FailedExecutionAllowance', of: 'account' })
    ;(await admit(process, newAccount(), { cid: 'QmOneMore' })).release()
  })

  it('free compute: eight processes together use what one may', async () => {
    const account = newAccount()
    const processes = Array.from({ length: PROCESSES }, (_, index) => originProcess(open(index)))
    for (const process of processes) process.live()
    let used = 0
    const failAll = async (process: Process) => {
      for (;;) {
        const refused = await errorOf(
          onceKnown(() => admit(process, account, { wallMs: 3_000 })).then((run) => {
            used += 3_000
            run.ended(3_000, { failed: true })
          }),
        )
        if (refused instanceof FailedExecutionAllowance) return
        if (refused && !(refused instanceof RunsInFlight)) throw refused
        await process.credits.flush()
      }
    }
    await Promise.all(processes.map(failAll))
    for (const process of processes) process.kill()
    await Promise.all(processes.map(({ credits }) => credits.close()))
    expect(used).toBe(FAILED_EXECUTION_MS)
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
  })

  it('a start of the process does not give the allowance anew', async () => {
    const account = newAccount()
    const before = originProcess(open(0))
    await fail(before, account, FAILED_EXECUTION_MS)
    await before.credits.close()
    const refused = await errorOf(admit(originProcess(open(1)), account))
    expect(refused).toBeInstanceOf(FailedExecutionAllowance)
  })

  it('a run that was never one of several goes on to its own limits, and counts', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    const run = await admit(process, account)
    expect(await run.extend(61_000)).toBe(true)
    expect(await run.extend(100_000)).toBe(true)
    run.ended(100_000, { failed: true })
    await process.credits.flush()
    expect(await failedMs(db(), account)).toBe(100_000)
    expect(await errorOf(admit(process, account))).toBeInstanceOf(FailedExecutionAllowance)
  })

  it('one of several is stopped when nothing is left', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    await showQuick(process, account)
    const [one, other] = [await admit(process, account), await admit(process, account)]
    expect(await one.extend(58_000)).toBe(true)
    other.release()
    expect(await one.extend(60_000)).toBe(true)
    expect(await one.extend(61_000)).toBe(false)
  })

  it('nor does it go on beside a run at another process', async () => {
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

  it('free compute: a lone run is stopped when the account has nothing left', async () => {
    const account = newAccount()
    const process = originProcess(open(0))
    for (let i = 0; i < FAILED_EXECUTION_PAIRS - 1; i++)
      await fail(process, account, FAILED_EXECUTION_MS, { cid: `QmComment${i}` })
    const run = await admit(process, account)
    expect(await run.extend(60_000)).toBe(true)
    expect(await run.extend(61_000)).toBe(false)
  })

  it('a waiting run is refused with a time to come again if the runs in flight do not end', async () => {
    const clock = clockNow()
    const account = newAccount()
    const process = originProcess(open(0), { clock })
    const first = await admit(process, account)
    const waits = errorOf(admit(process, account))
    const passing = setInterval(() => (clock.at += 200), 10)
    const refused = await waits
    clearInterval(passing)
    expect(refused).toBeInstanceOf(RunsInFlight)
    expect(refused).toMatchObject({ retryAfterMs: 1_000 })
    first.ended(1_000, { failed: false })
    ;(await admit(process, account)).release()
  })

  it('what is reserved at another process comes back when its run ends', async () => {
    const account = newAccount()
    const [here, there] = [originProcess(open(0)), originProcess(open(1))]
    there.live()
    const first = await admit(there, account)
    const waits = admit(here, account)
    await sleep(100)
    first.ended(5, { failed: false })
    ;(await waits).release()
    there.kill()
  })

  it('the part of a killed process comes back', async () => {
    const clock = clockNow()
    const account = newAccount()
    const [dead, alive] = [originProcess(open(0), { clock }), originProcess(open(1), { clock })]
    await admit(dead, account)
    clock.at += LEASE_MS + 1
    await fail(alive, account, FAILED_EXECUTION_MS)
    await alive.credits.flush()
    expect(await failedMs(db(), account)).toBe(FAILED_EXECUTION_MS)
  })

  it('double counting: failures of an order that is sent again are counted once', async () => {
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

  it('a flood of failures of a spent allowance asks the database once a second', async () => {
    const clock = clockNow()
    const account = newAccount()
    const { db: counting, asked } = counted(db())
    const process = originProcess({ db: counting }, { clock })
    await fail(process, account, FAILED_EXECUTION_MS)
    await errorOf(admit(process, account))
    asked.times = 0
    for (let i = 0; i < 100; i++)
      expect(await errorOf(admit(process, account))).toBeInstanceOf(FailedExecutionAllowance)
    expect(asked.times).toBe(0)
    clock.at += 1_000
    await errorOf(admit(process, account))
    expect(asked.times).toBe(1)
  })

  it('a hundred runs out of one lease ask the database once', async () => {
    const account = newAccount()
    const { db: counting, asked } = counted(db())
    const process = originProcess({ db: counting })
    for (let i = 0; i < 100; i++) await showQuick(process, account)
    expect(asked.times).toBe(1)
  })
})
