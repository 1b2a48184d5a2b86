/** Origin processes on a shared database, limited to credit. */
import { randomBytes, randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { Credits } from '../../../origin/credits/credits.ts'
import { CreditsUnavailableError } from '../../../origin/credits/credit-errors.ts'
import {
  creditsLedgerAccount,
  lockAccount,
  changeAccount,
  postTransfers,
} from '../../../origin/credits/ledger.ts'
import { type AbortableSleep, abortableSleep } from '../../../origin/timeout.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { creditAccounts, creditLeases, ledgerTransfers } from '../../../origin/db/schema.ts'

type Db = OpenDatabase['db']

/**
 * Retries while the outcome is unknown, because a process on a busy machine may not answer in time.
 * @throws any other error
 */
export async function onceKnown<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof CreditsUnavailableError)) throw error
    }
  }
}

export const newAccount = () => `0x${randomBytes(32).toString('hex')}`
export const KEY = `0x${'ab'.repeat(32)}`
export const REFERENCE = { subject: 'add_group' }

/** A process with its own clock. `clock.at` is advanced by hand; without a clock, real time is used. */
export function originProcess(
  { db }: Pick<OpenDatabase, 'db'>,
  {
    starterCents = 0,
    clock,
    predecessor,
    sleep: sleeping = abortableSleep,
  }: {
    starterCents?: number
    clock?: { at: number }
    predecessor?: string
    sleep?: AbortableSleep
  } = {},
) {
  const logs: string[] = []
  const processId = randomBytes(8).toString('hex')
  const credits = new Credits({
    db,
    processId,
    predecessor,
    starterCents,
    now: clock ? () => clock.at : Date.now,
    monotonic: clock ? () => clock.at : () => performance.now(),
    sleep: sleeping,
    newId: randomUUID,
    log: (event) => void logs.push(event),
  })
  let looking: NodeJS.Timeout | undefined
  return {
    processId,
    credits,
    logs,
    /** Answers requests of other processes, as a live process does. */
    live: () => {
      let isLooking = false
      const look = async () => {
        if (isLooking) return
        isLooking = true
        await credits.returnRequested().catch(() => {})
        isLooking = false
      }
      looking = setInterval(() => void look(), 20)
    },
    /** Stops without releasing its leases. */
    kill: () => clearInterval(looking),
    /** Reserves cents of an account with one of its keys. */
    reserve: (accountHash: string, cents: number, keyHash = KEY) =>
      credits.reserve({ accountHash, keyHash }, cents),
    spend: async (accountHash: string, cents = 1, keyHash = KEY) => {
      const reservation = await credits.reserve({ accountHash, keyHash }, cents)
      reservation.settle('write', cents, REFERENCE)
    },
  }
}

/** Opens an account with exactly this balance and no starter credits. */
export async function openAccount(db: Db, cents: number, account = newAccount()): Promise<string> {
  await db.transaction(async (tx) => {
    const at = new Date()
    const row = await lockAccount(tx, account, { starterCents: 0, at })
    if (cents === 0) return
    const from = 'starter'
    const gift = { idempotencyKey: `test:${account}`, kind: 'starter', from, cents } as const
    const balanceCents = await postTransfers(tx, account, at, [
      { ...gift, to: creditsLedgerAccount(account) },
    ])
    await changeAccount(tx, row, { balanceCents })
  })
  return account
}

/** The books of an account at one moment, from its transfers and from its rows. */
export async function booksOf(db: Db, account: string) {
  const { transfers, row, inLeases } = await db.transaction(
    async (tx) => ({
      transfers: await tx
        .select()
        .from(ledgerTransfers)
        .where(eq(ledgerTransfers.accountHash, account)),
      row: (
        await tx.select().from(creditAccounts).where(eq(creditAccounts.accountHash, account))
      )[0],
      inLeases: await tx
        .select({ cents: creditLeases.cents })
        .from(creditLeases)
        .where(eq(creditLeases.accountHash, account)),
    }),
    { isolationLevel: 'repeatable read' },
  )
  const sums = new Map<string, number>()
  for (const { fromAccount, toAccount, cents } of transfers) {
    sums.set(fromAccount, (sums.get(fromAccount) ?? 0) - cents)
    sums.set(toAccount, (sums.get(toAccount) ?? 0) + cents)
  }
  return {
    transfers,
    balance: row?.balanceCents ?? 0,
    leased: row?.leasedCents ?? 0,
    inLeases: inLeases.reduce((sum, { cents }) => sum + cents, 0),
    credited: sums.get(creditsLedgerAccount(account)) ?? 0,
    revenue: sums.get('revenue') ?? 0,
    total: [...sums.values()].reduce((sum, cents) => sum + cents, 0),
  }
}
