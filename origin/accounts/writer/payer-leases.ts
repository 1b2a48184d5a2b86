import {
  and,
  count,
  eq,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Database } from '../../db/open.ts'
import { payers, processes } from '../../db/schema.ts'

/**
 * Duration of a payer's lease while its process has a lease too, which ends first if the process dies. Renewals update
 * the rows of all held payers, so they should be rare. Processes of the previous version do not know about leases of
 * processes, and wait for this time after a crash.
 */
const COVERED_LEASE_MS = 180_000

/** A lease is renewed when at most this share of it is left. */
const LEFT_SHARE = 0.5

/** Number of the payer that funds the other payers and sends no writes. */
export const ADMIN_PAYER = 0

type PayerLeasesOptions = {
  db: Database
  processId: string
  predecessor?: string | undefined
  /** Duration of a payer's lease while this process has no lease of its own. */
  leaseMs: number
}

export type HeldPayer = { number: number; wantedBy: string | null }

const DATABASE_NOW = sql`clock_timestamp()`

/**
 * True if a payer's lease or the lease of its process has ended. A process has no lease before its first heartbeat, or
 * if it runs the previous version.
 */
const IS_FREE = sql`(${payers.leaseUntil} <= ${DATABASE_NOW} or exists (
  select 1 from ${processes}
  where ${processes.id} = ${payers.processId} and ${processes.leaseUntil} <= ${DATABASE_NOW}
))`

/** Returns the condition that a process holds a payer. */
export function isPayerHeldBy(processId: string): SQL | undefined {
  return and(eq(payers.processId, processId), not(IS_FREE))
}

/**
 * Leases on payers. A process may sign only with payers that it has leased. Leases are measured only by the database's
 * clock, so the clocks of processes need not agree. The outbox checks the lease again in the transaction that records a
 * write.
 */
export class PayerLeases {
  readonly #options: PayerLeasesOptions

  constructor(options: PayerLeasesOptions) {
    this.#options = options
  }

  async createMissing(numbers: readonly number[]): Promise<void> {
    const rows = numbers.map((number) => ({ number, leaseUntil: new Date(0) }))
    await this.#options.db.insert(payers).values(rows).onConflictDoNothing()
  }

  /**
   * Renews the leases that are due.
   * @returns the payers that this process still holds
   */
  async renew(): Promise<HeldPayer[]> {
    const { db, processId, leaseMs } = this.#options
    const held = isPayerHeldBy(processId)
    const duration = sql`(case when exists (
      select 1 from ${processes}
      where ${processes.id} = ${processId} and ${processes.leaseUntil} > ${DATABASE_NOW}
    ) then ${COVERED_LEASE_MS}::float8 else ${leaseMs}::float8 end * interval '1 millisecond')`
    await db
      .update(payers)
      .set({ leaseUntil: sql`${DATABASE_NOW} + ${duration}` })
      .where(and(held, lte(payers.leaseUntil, sql`${DATABASE_NOW} + ${LEFT_SHARE} * ${duration}`)))
    return db.select({ number: payers.number, wantedBy: payers.wantedBy }).from(payers).where(held)
  }

  /** @returns the numbers of the acquired payers */
  async acquire(numbers: readonly number[]): Promise<number[]> {
    const { db, predecessor, processId } = this.#options
    const isLeft = predecessor === undefined ? undefined : eq(payers.processId, predecessor)
    const free = or(IS_FREE, isLeft)
    const taken = await db
      .update(payers)
      .set({ processId, leaseUntil: this.#expiry(), wantedBy: null })
      .where(and(inArray(payers.number, [...numbers]), free))
      .returning({ number: payers.number })
    return taken.map(({ number }) => number)
  }

  /** The process that holds the most payers hands one over when it next renews its leases. */
  async requestHandover(numbers: readonly number[]): Promise<void> {
    const { db, processId } = this.#options
    const among = inArray(payers.number, [...numbers])
    const asked = await db.select().from(payers).where(eq(payers.wantedBy, processId))
    if (asked.length > 0) return
    const [richest] = await db
      .select({ processId: payers.processId, held: count() })
      .from(payers)
      .where(and(among, isNotNull(payers.processId), ne(payers.processId, processId)))
      .groupBy(payers.processId)
      .orderBy(sql`count(*) desc`)
      .limit(1)
    if (!richest?.processId || richest.held < 2) return
    const [one] = await db
      .select({ number: payers.number })
      .from(payers)
      .where(and(among, eq(payers.processId, richest.processId), isNull(payers.wantedBy)))
      .limit(1)
    if (!one) return
    await db
      .update(payers)
      .set({ wantedBy: processId })
      .where(and(eq(payers.number, one.number), eq(payers.processId, richest.processId)))
  }

  async handOver({ number, wantedBy }: HeldPayer): Promise<void> {
    await this.#options.db
      .update(payers)
      .set({ processId: wantedBy, leaseUntil: this.#expiry(), wantedBy: null })
      .where(and(eq(payers.number, number), this.#own()))
  }

  async release(): Promise<void> {
    await this.#options.db
      .update(payers)
      .set({ processId: null, leaseUntil: new Date(0), wantedBy: null })
      .where(this.#own())
  }

  #own() {
    return eq(payers.processId, this.#options.processId)
  }

  #expiry() {
    return sql`${DATABASE_NOW} + ${this.#options.leaseMs} * interval '1 millisecond'`
  }
}
