import { and, count, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../db/open.ts'
import { payers } from '../../db/schema.ts'

/** Longer than any pause of a healthy process, but short enough to wait for after a crash. */
export const PAYER_LEASE_MS = 10_000

/**
 * A lease is renewed when at most this share of it is left. Every renewal updates the rows of all held payers, which an
 * idle process should not do every second.
 */
const LEFT_SHARE = 0.6

/** Number of the payer that funds the other payers and sends no writes. */
export const ADMIN_PAYER = 0

type PayerLeasesOptions = {
  db: Database
  processId: string
  predecessor?: string | undefined
  leaseMs: number
}

export type HeldPayer = { number: number; wantedBy: string | null }

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
    const { db, leaseMs } = this.#options
    const held = and(this.#own(), gt(payers.leaseUntil, DATABASE_NOW))
    const dueBy = sql`clock_timestamp() + ${leaseMs * LEFT_SHARE} * interval '1 millisecond'`
    await db
      .update(payers)
      .set({ leaseUntil: this.#expiry() })
      .where(and(held, lte(payers.leaseUntil, dueBy)))
    return db.select({ number: payers.number, wantedBy: payers.wantedBy }).from(payers).where(held)
  }

  /** @returns the numbers of the acquired payers */
  async acquire(numbers: readonly number[]): Promise<number[]> {
    const { db, predecessor, processId } = this.#options
    const isLeft = predecessor === undefined ? undefined : eq(payers.processId, predecessor)
    const free = or(lte(payers.leaseUntil, DATABASE_NOW), isLeft)
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
    return sql`clock_timestamp() + ${this.#options.leaseMs} * interval '1 millisecond'`
  }
}

const DATABASE_NOW = sql`clock_timestamp()`
