import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { processes, transactionLanes, transactions } from '../db/schema.ts'

/** A wallet on a chain. */
export type LaneId = {
  chainId: number
  /** Lower-case 0x hex. */
  address: string
}

export const laneKey = ({ chainId, address }: LaneId): string => `${chainId}/${address}`

type LaneLeasesOptions = {
  db: Database
  processId: string
  /** ID of a process that has certainly exited (see `predecessor.ts`). Its lanes can be acquired at once. */
  predecessor?: string | undefined
}

/** Lanes that are acquired in one round, so that another process can take the next ones. */
const ABANDONED_MAX = 200

const hasLease = (processId: unknown) => sql`exists (
  select 1 from ${processes}
  where ${processes.id} = ${processId} and ${processes.leaseUntil} > clock_timestamp()
)`

/**
 * Returns the condition that a process holds a lane: it is named in the lane's row, and its own lease, which its
 * heartbeat extends, has not ended by the database's clock.
 */
export function isLaneHeldBy(processId: string): SQL | undefined {
  return and(eq(transactionLanes.processId, processId), hasLease(processId))
}

/** Condition that a transaction belongs to a lane. */
export const isOfLane = and(
  eq(transactionLanes.chainId, transactions.chainId),
  eq(transactionLanes.address, transactions.address),
)

/** Leases on lanes. The store checks the lease again in the transaction that records an attempt. */
export class LaneLeases {
  readonly #options: LaneLeasesOptions

  constructor(options: LaneLeasesOptions) {
    this.#options = options
  }

  /**
   * Creates the lane if it does not exist.
   * @returns true if this process holds the lane now
   */
  async acquire({ chainId, address }: LaneId): Promise<boolean> {
    const { db, processId } = this.#options
    const rows = await db
      .insert(transactionLanes)
      .values({
        chainId,
        address,
        processId: sql`case when ${hasLease(processId)} then ${processId} end`,
      })
      .onConflictDoUpdate({
        target: [transactionLanes.chainId, transactionLanes.address],
        set: { processId },
        setWhere: sql`${hasLease(processId)} and (${transactionLanes.processId} = ${processId} or ${this.#isFree()})`,
      })
      .returning({ processId: transactionLanes.processId })
    return rows[0]?.processId === processId
  }

  /** Acquires lanes with open transactions that no living process holds. */
  async acquireAbandoned(chainIds: readonly number[]): Promise<LaneId[]> {
    const { db, processId } = this.#options
    if (chainIds.length === 0) return []
    const open = this.#open(chainIds, this.#isFree()).limit(ABANDONED_MAX)
    return db
      .update(transactionLanes)
      .set({ processId })
      .where(
        and(
          sql`(${transactionLanes.chainId}, ${transactionLanes.address}) in ${open}`,
          this.#isFree(),
          hasLease(processId),
        ),
      )
      .returning({ chainId: transactionLanes.chainId, address: transactionLanes.address })
  }

  /** Returns the lanes with open transactions in whose rows this process is named. */
  async held(chainIds: readonly number[]): Promise<LaneId[]> {
    return chainIds.length === 0 ? [] : this.#open(chainIds, this.#isOwn())
  }

  /** Releases a lane, if this process is named in its row. */
  async release({ chainId, address }: LaneId): Promise<void> {
    await this.#options.db
      .update(transactionLanes)
      .set({ processId: null })
      .where(
        and(
          eq(transactionLanes.chainId, chainId),
          eq(transactionLanes.address, address),
          this.#isOwn(),
        ),
      )
  }

  async releaseAll(): Promise<void> {
    await this.#options.db.update(transactionLanes).set({ processId: null }).where(this.#isOwn())
  }

  #open(chainIds: readonly number[], condition: SQL) {
    return this.#options.db
      .selectDistinct({ chainId: transactions.chainId, address: transactions.address })
      .from(transactions)
      .innerJoin(transactionLanes, isOfLane)
      .where(
        and(isNull(transactions.endedAt), inArray(transactions.chainId, [...chainIds]), condition),
      )
  }

  #isOwn() {
    return eq(transactionLanes.processId, this.#options.processId)
  }

  /** True if no living process is named in the row. */
  #isFree(): SQL {
    const { predecessor = null } = this.#options
    return sql`(${transactionLanes.processId} is null or ${transactionLanes.processId} = ${predecessor}::text
      or not ${hasLease(transactionLanes.processId)})`
  }
}
