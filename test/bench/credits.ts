/**
 * Measures credit: reservations that are taken and settled, compared with one UPDATE each on the same database; and the
 * share of credit accounting (allowance and settlement included) in a run of 10 ms.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { Credits } from '../../origin/credits/credits.ts'
import { maintainCredits } from '../../origin/credits/maintenance.ts'
import { abortableSleep } from '../../origin/timeout.ts'
import type { OpenDatabase } from '../../origin/db/open.ts'
import { newAccount, openAccount } from '../origin/credits/process.ts'
import { openFresh } from '../origin/db/fresh-database.ts'
import { EXECUTION_WALL_MS } from '../../shared/limits.ts'
import { median, report } from './report.ts'

/** Alternating rounds, because on a noisy machine a ratio is more reliable than an absolute figure. */
const ROUNDS = 5
const ROUND_MS = 1_000
const RUN_MS = 10
const RUNS = 300
const PLENTY_CENTS = 1_000_000_000
const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'

export async function credits(): Promise<void> {
  const database = await openFresh()
  await measure(database)
  await database.close()
}

async function measure({ db }: OpenDatabase): Promise<void> {
  const account = await openAccount(db, PLENTY_CENTS)
  const keyHash = newAccount()
  const log = () => {}
  const ledger = new Credits({
    db,
    processId: randomBytes(8).toString('hex'),
    starterCents: 0,
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: abortableSleep,
    newId: randomUUID,
    log,
  })
  const stopTending = maintainCredits(ledger, log)
  const payer = { accountHash: account, keyHash }
  const run = async () => {
    const reservation = await ledger.reserve(payer, 1)
    const allowed = await ledger.admit(payer, { cid: CID, wallMs: EXECUTION_WALL_MS, bytes: 100 })
    return () => {
      allowed.finish(RUN_MS, { failed: false })
      reservation.settle('execution', 1, { subject: CID })
    }
  }
  const reserveAndSettle = async () => {
    const reservation = await ledger.reserve(payer, 1)
    reservation.settle('execution', 1, { subject: CID })
  }
  const update = () =>
    db.execute(
      sql`update credit_accounts set balance_cents = balance_cents - 1 where account_hash = ${other}`,
    )
  const other = await openAccount(db, PLENTY_CENTS)

  await rateOf(reserveAndSettle, ROUND_MS)
  const rates: number[] = []
  const floors: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rates.push(await rateOf(reserveAndSettle, ROUND_MS))
    await ledger.flush()
    floors.push(await rateOf(update, ROUND_MS))
  }
  const [value, baseline] = [median(rates), median(floors)]
  report({
    bench: 'credits',
    metric: 'reserve_settle_rate',
    value,
    unit: '1/s',
    baseline,
    ratio: value / baseline,
  })

  const shares: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await processorMs(async () => () => {})
    const charged = await processorMs(run)
    shares.push((charged - bare) / RUNS / RUN_MS)
  }
  report({
    bench: 'credits',
    metric: 'credit_share_of_10ms_action',
    value: median(shares),
    unit: 'share',
  })
  stopTending()
  await ledger.close()
}

/** Rate per second of sequential calls. */
async function rateOf(act: () => Promise<unknown>, ms: number): Promise<number> {
  const began = performance.now()
  let count = 0
  while (performance.now() < began + ms) {
    await act()
    count++
  }
  return (count / (performance.now() - began)) * 1000
}

/** CPU milliseconds of this process for a number of runs that wait 10 ms each and compute nothing. */
async function processorMs(begin: () => Promise<() => void>): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < RUNS; n++) {
    const end = await begin()
    await abortableSleep(RUN_MS)
    end()
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
