import {
  and,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { DAY_MS } from '../../shared/durations.ts'
import { GroupCommit } from '../../shared/group-commit.ts'
import { TRANSACTION_DATA_RETENTION_DAYS } from '../../shared/limits.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Transaction } from '../db/open.ts'
import {
  transactionAttempts,
  transactionDefaults,
  transactionLanes,
  transactions,
} from '../db/schema.ts'
import { isLaneHeldBy, isOfLane, type LaneId } from './lane-leases.ts'
import { type NewAttempt, recordAttempts } from './record-attempts.ts'
import { type ProgressUpdate, saveProgress, type SaveResult } from './save-progress.ts'
import type { AttemptRow, TransactionRow } from './transaction-record.ts'
import type { StoreOptions, TransactionFilter } from './types.ts'
import {
  exceededLimits,
  largeBytesOf,
  type StorageLimit,
  type StorageRequest,
} from './unpaid-storage.ts'

export type NewTransaction = Omit<
  typeof transactions.$inferInsert,
  'state' | 'createdAt' | 'updatedAt' | 'endedAt' | 'sequence' | 'largeBytes'
>

type Insert = { transaction: NewTransaction; by: StorageRequest['by'] }

/** `exists` if a transaction has this ID; otherwise the limit that the transaction exceeds. Nothing was inserted. */
export type NotInserted = 'exists' | StorageLimit

export type LoadedLane = {
  rows: TransactionRow[]
  attempts: AttemptRow[]
  /** Highest nonce of a transaction that has ended. */
  lastEndedNonce: number | undefined
}

/** A queued transaction, or a request to cancel or speed up. */
export type LaneWork = LaneId & RequestedChange & { id: string }

/** Members of a row that other processes write. */
export type RequestedChange = Pick<
  TransactionRow,
  'cancelRequestedAt' | 'speedUpRequestedAt' | 'maxFeePerGas' | 'endedAt'
>

export type FeeDefaults = { maxFeePerGas: bigint | null; lowBalance: bigint | null }

/** Transactions whose data is removed by one statement. */
const FORGOTTEN_BATCH = 1_000

/** Transactions, their attempts and the defaults of accounts in the database. */
export class TransactionStore {
  readonly #options: StoreOptions
  readonly #inserts = new GroupCommit<Insert, TransactionRow | NotInserted>({
    write: (batch) => this.#insert(batch),
    bytesOf: ({ transaction }) => transaction.data.length,
  })
  readonly #updates = new GroupCommit<ProgressUpdate, SaveResult>({
    write: (batch) => saveProgress(this.#options, batch),
  })

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /**
   * Inserts a queued transaction. Its lane must exist. A transaction that exists may also be reported as one that
   * exceeds a limit.
   * @throws {DatabaseUnavailableError}
   */
  insert(transaction: NewTransaction, by: Insert['by']): Promise<TransactionRow | NotInserted> {
    return fromDatabase(this.#inserts.add({ transaction, by }))
  }

  async #insert(batch: readonly Insert[]): Promise<(TransactionRow | NotInserted)[]> {
    const { db, now } = this.#options
    const at = this.#date()
    const given = batch.map(({ transaction, by }) => {
      const { data, errors, accountHash, step = null } = transaction
      const largeBytes = largeBytesOf(data, errors)
      const times = { createdAt: at, updatedAt: at }
      return {
        row: { ...transaction, largeBytes, state: 'queued' as const, ...times },
        storage: { accountHash, largeBytes, isFree: step === null, by },
      }
    })
    const exceeded = await exceededLimits(
      db,
      given.map(({ storage }) => storage),
      now(),
    )
    const allowed = given.filter((_, index) => exceeded[index] === undefined)
    const rows =
      allowed.length === 0
        ? []
        : await db
            .insert(transactions)
            .values(allowed.map(({ row }) => row))
            .onConflictDoNothing()
            .returning()
    const inserted = new Map(rows.map((row) => [row.id, row]))
    return batch.map(({ transaction: { id } }, index) => {
      const limit = exceeded[index]
      if (limit !== undefined) return limit
      const row = inserted.get(id)
      // If a batch contains an ID twice, only the first request inserted it.
      inserted.delete(id)
      return row ?? 'exists'
    })
  }

  /** Removes large data of transactions that ended long ago, and their signed bytes. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    const expired = new Date(now() - TRANSACTION_DATA_RETENTION_DAYS * DAY_MS).toISOString()
    let forgotten: number
    do {
      const removed = await db.execute(sql`
        with forgotten as (
          update ${transactions} t set data = '', errors = '{}', large_bytes = 0
          where t.id = any(array(
            select id from ${transactions} where large_bytes > 0 and ended_at < ${expired}::timestamptz
            limit ${FORGOTTEN_BATCH}
            for update skip locked
          ))
          returning t.id
        ), bytes as (
          update ${transactionAttempts} a set raw = '' from forgotten where a.transaction_id = forgotten.id
        )
        select id from forgotten`)
      forgotten = (removed as { rows: unknown[] }).rows.length
    } while (forgotten === FORGOTTEN_BATCH)
  }

  /** @throws {DatabaseUnavailableError} */
  async find(id: string): Promise<TransactionRow | undefined> {
    const { db } = this.#options
    return (await fromDatabase(db.select().from(transactions).where(eq(transactions.id, id))))[0]
  }

  /**
   * Returns attempts by transaction, oldest first. Their times do not tell, because the clocks of processes differ. But a
   * new nonce is always higher, and so are the fees of a replacement.
   * @throws {DatabaseUnavailableError}
   */
  async attemptsOf(ids: readonly string[]): Promise<Map<string, AttemptRow[]>> {
    if (ids.length === 0) return new Map()
    const rows = await fromDatabase(
      this.#options.db
        .select()
        .from(transactionAttempts)
        .where(inArray(transactionAttempts.transactionId, [...ids]))
        .orderBy(asc(transactionAttempts.nonce), asc(transactionAttempts.maxFeePerGas)),
    )
    return Map.groupBy(rows, ({ transactionId }) => transactionId)
  }

  /**
   * Returns transactions of an account, newest first.
   * @throws {DatabaseUnavailableError}
   */
  async list(
    accountHash: string,
    filter: Omit<TransactionFilter, 'chain'> & { chainId?: number | undefined },
    page: { offset: number; limit: number },
  ): Promise<{ rows: TransactionRow[]; total: number }> {
    const { db } = this.#options
    const { id, pkpId, chainId, state, runId, keyHash } = filter
    const where = and(
      eq(transactions.accountHash, accountHash),
      id === undefined ? undefined : eq(transactions.id, id),
      pkpId === undefined ? undefined : eq(transactions.pkpId, pkpId),
      chainId === undefined ? undefined : eq(transactions.chainId, chainId),
      state === undefined ? undefined : eq(transactions.state, state),
      runId === undefined ? undefined : eq(transactions.runId, runId),
      keyHash === undefined ? undefined : eq(transactions.keyHash, keyHash),
    )
    const [rows, totals] = await fromDatabase(
      Promise.all([
        db
          .select()
          .from(transactions)
          .where(where)
          .orderBy(desc(transactions.sequence))
          .offset(page.offset)
          .limit(page.limit),
        db.select({ total: count() }).from(transactions).where(where),
      ]),
    )
    return { rows, total: totals[0]?.total ?? 0 }
  }

  /** @throws {DatabaseUnavailableError} */
  async countOpen(lane: LaneId): Promise<number> {
    const [row] = await fromDatabase(
      this.#options.db
        .select({ open: count() })
        .from(transactions)
        .where(and(ofLane(lane), isNull(transactions.endedAt))),
    )
    return row?.open ?? 0
  }

  /**
   * Ends a queued transaction as cancelled. Requests the cancellation of a signed one from the process that holds the
   * lane.
   * @returns true if it has ended the transaction
   * @throws {DatabaseUnavailableError}
   */
  async requestCancel(id: string): Promise<boolean> {
    const { db } = this.#options
    const at = this.#date()
    const isQueued = sql`${transactions.state} = 'queued'`
    const rows = await fromDatabase(
      db
        .update(transactions)
        .set({
          state: sql`case when ${isQueued} then 'cancelled' else ${transactions.state} end`,
          endedAt: sql`case when ${isQueued} then ${at.toISOString()}::timestamptz end`,
          cancelRequestedAt: at,
          updatedAt: at,
        })
        .where(
          and(
            eq(transactions.id, id),
            inArray(transactions.state, ['queued', 'signed', 'broadcast']),
            isNull(transactions.endedAt),
            isNull(transactions.cancelRequestedAt),
          ),
        )
        .returning({ state: transactions.state }),
    )
    return rows[0]?.state === 'cancelled'
  }

  /**
   * Requests higher fees at once, from the process that holds the lane.
   * @param maxFeePerGas replaces the limit of the transaction
   * @throws {DatabaseUnavailableError}
   */
  async requestSpeedUp(id: string, maxFeePerGas: bigint | undefined): Promise<void> {
    await fromDatabase(
      this.#options.db
        .update(transactions)
        .set({
          // Requests are compared by these times, and the clocks of processes can differ.
          speedUpRequestedAt: sql`date_trunc('milliseconds', clock_timestamp())`,
          updatedAt: this.#date(),
          ...(maxFeePerGas !== undefined && { maxFeePerGas }),
        })
        .where(
          and(
            eq(transactions.id, id),
            inArray(transactions.state, ['queued', 'signed', 'broadcast']),
            isNull(transactions.endedAt),
          ),
        ),
    )
  }

  /** Clears a request for higher fees, unless a newer one was made. */
  async clearSpeedUp(id: string, requestedAt: Date): Promise<void> {
    await this.#options.db
      .update(transactions)
      .set({ speedUpRequestedAt: null })
      .where(and(eq(transactions.id, id), eq(transactions.speedUpRequestedAt, requestedAt)))
  }

  /** Reads the open transactions of a lane, in their order, and their attempts. */
  async loadLane(lane: LaneId): Promise<LoadedLane> {
    const { db } = this.#options
    const isOpen = and(ofLane(lane), isNull(transactions.endedAt))
    // The attempts are read after the rows, so that no row lacks an attempt that its state implies.
    const rows = await db
      .select()
      .from(transactions)
      .where(isOpen)
      .orderBy(asc(transactions.sequence))
    const [attempts, ended] = await Promise.all([
      this.attemptsOf(rows.map(({ id }) => id)),
      db
        .select({ nonce: transactions.nonce })
        .from(transactions)
        .where(and(ofLane(lane), isNotNull(transactions.endedAt), isNotNull(transactions.nonce)))
        .orderBy(desc(transactions.nonce))
        .limit(1),
    ])
    return {
      rows,
      attempts: [...attempts.values()].flat(),
      lastEndedNonce: ended[0]?.nonce ?? undefined,
    }
  }

  /**
   * Returns queued transactions, and requests to cancel or speed up, in the lanes that this process holds. Their data
   * is left out, because this is read every second.
   */
  async work(chainIds: readonly number[]): Promise<LaneWork[]> {
    if (chainIds.length === 0) return []
    return this.#options.db
      .select({
        id: transactions.id,
        chainId: transactions.chainId,
        address: transactions.address,
        cancelRequestedAt: transactions.cancelRequestedAt,
        speedUpRequestedAt: transactions.speedUpRequestedAt,
        maxFeePerGas: transactions.maxFeePerGas,
        endedAt: transactions.endedAt,
      })
      .from(transactions)
      .innerJoin(transactionLanes, isOfLane)
      .where(
        and(
          isNull(transactions.endedAt),
          inArray(transactions.chainId, [...chainIds]),
          eq(transactionLanes.processId, this.#options.processId),
          or(
            eq(transactions.state, 'queued'),
            isNotNull(transactions.cancelRequestedAt),
            isNotNull(transactions.speedUpRequestedAt),
          ),
        ),
      )
      .orderBy(asc(transactions.sequence))
  }

  /** Returns whole transactions, in their order. */
  async rowsOf(ids: readonly string[]): Promise<TransactionRow[]> {
    if (ids.length === 0) return []
    return this.#options.db
      .select()
      .from(transactions)
      .where(inArray(transactions.id, [...ids]))
      .orderBy(asc(transactions.sequence))
  }

  /** Records attempts, all of them or none (see `recordAttempts` in `record-attempts.ts`). */
  recordAttempts(
    lane: LaneId,
    attempts: readonly NewAttempt[],
    rejected: readonly string[] = [],
  ): ReturnType<typeof recordAttempts> {
    return recordAttempts(this.#options, lane, attempts, rejected)
  }

  /**
   * Inserts a transaction that has been signed, to fill a gap between nonces.
   * @returns `lane_lost` if another process may hold the lane, `changed` if another transaction has the nonce
   */
  async insertSigned(
    transaction: NewTransaction,
    attempt: Omit<AttemptRow, 'createdAt'>,
  ): Promise<'recorded' | 'lane_lost' | 'changed'> {
    const at = this.#date()
    return this.#options.db.transaction(async (tx) => {
      if (!(await this.#isHeld(tx, transaction))) return 'lane_lost'
      const row = { ...transaction, nonce: attempt.nonce, state: 'signed' as const }
      const inserted = await tx
        .insert(transactions)
        .values({ ...row, createdAt: at, updatedAt: at })
        .onConflictDoNothing()
        .returning({ id: transactions.id })
      if (inserted.length === 0) return 'changed'
      await tx.insert(transactionAttempts).values({ ...attempt, createdAt: at })
      return 'recorded'
    })
  }

  /**
   * Reopens transactions whose nonces were used in blocks, after the chain has lost blocks that were final.
   * @returns the number of transactions that were reopened
   */
  async reopen(lane: LaneId, nonces: readonly number[]): Promise<number> {
    return this.#options.db.transaction(async (tx) => {
      if (!(await this.#isHeld(tx, lane))) return 0
      const rows = await tx
        .update(transactions)
        .set({
          state: 'broadcast',
          ...NOT_MINED,
          replacedBy: null,
          failureCode: null,
          failureMessage: null,
          endedAt: null,
          updatedAt: this.#date(),
        })
        .where(
          and(
            ofLane(lane),
            inArray(transactions.nonce, [...nonces]),
            isNotNull(transactions.endedAt),
            // Without its signed bytes, it cannot be sent again.
            ne(transactions.data, ''),
            or(isNotNull(transactions.minedHash), isNotNull(transactions.replacedBy)),
          ),
        )
        .returning({ id: transactions.id })
      return rows.length
    })
  }

  /**
   * Stores what happened to a transaction. Updates that arrive during a write share the next one. They may be lost in a
   * crash, because the next holder of the lane finds out the same from the chain.
   */
  save(update: ProgressUpdate): Promise<SaveResult> {
    return this.#updates.add(update)
  }

  /** Balance of a lane in wei, for later processes and for operators. */
  async recordBalance({ chainId, address }: LaneId, balance: bigint): Promise<void> {
    await this.#options.db
      .update(transactionLanes)
      .set({ balance, checkedAt: this.#date() })
      .where(and(eq(transactionLanes.chainId, chainId), eq(transactionLanes.address, address)))
  }

  async defaults(accountHash: string, chainId: number): Promise<FeeDefaults | undefined> {
    const [row] = await this.#options.db
      .select({
        maxFeePerGas: transactionDefaults.maxFeePerGas,
        lowBalance: transactionDefaults.lowBalance,
      })
      .from(transactionDefaults)
      .where(
        and(
          eq(transactionDefaults.accountHash, accountHash),
          eq(transactionDefaults.chainId, chainId),
        ),
      )
    return row
  }

  /** Locks the lane's row, so that no other process can acquire the lane before the transaction ends. */
  async #isHeld(tx: Transaction, { chainId, address }: LaneId): Promise<boolean> {
    const rows = await tx
      .select({ chainId: transactionLanes.chainId })
      .from(transactionLanes)
      .where(
        and(
          eq(transactionLanes.chainId, chainId),
          eq(transactionLanes.address, address),
          isLaneHeldBy(this.#options.processId),
        ),
      )
      .for('share')
    return rows.length === 1
  }

  #date(): Date {
    return new Date(this.#options.now())
  }
}

const NOT_MINED = {
  minedHash: null,
  minedBlock: null,
  minedBlockHash: null,
  gasUsed: null,
  effectiveGasPrice: null,
} as const

function ofLane({ chainId, address }: LaneId): SQL | undefined {
  return and(eq(transactions.chainId, chainId), eq(transactions.address, address))
}
