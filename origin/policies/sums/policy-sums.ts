/** Rolling sums of wallet policies. `docs/policies.md` describes the behavior after a crash and after a restore. */
import { and, eq, lt, sql } from 'drizzle-orm'
import { CHARGES_MAX } from '../../../shared/policies/limits.ts'
import type { SumStates } from '../../../shared/policies/sum-states.ts'
import { OverloadedError } from '../../admission/event-loop-load.ts'
import { DatabaseUnavailableError, fromDatabase } from '../../db/database-unavailable.ts'
import { deleteInBatches } from '../../db/delete-in-batches.ts'
import type { Database } from '../../db/open.ts'
import { policySignatures, policySums } from '../../db/schema.ts'
import type { OriginLog } from '../../log.ts'
import { boundsOf, clocksOf } from './clocks.ts'
import { readDatabaseState, recordTimeline } from './database-state.ts'
import { decide, WalletSums } from './decide.ts'
import {
  requireValid,
  requireWallet,
  type ReservationResult,
  type SignatureReservation,
} from './reservation.ts'
import { prepareReplaceSums } from './replace-sums.ts'
import { type BatchOptions, type Outcome, reserveBatch } from './reserve-batch.ts'
import { SeenSums } from './seen-sums.ts'
import { readSums, readWalletSums } from './sum-rows.ts'
import { SumsUnavailableError } from './sums-unavailable.ts'

/** Maximum reservations per transaction, and maximum rows that it locks. */
const BATCH_MAX = 256
const BATCH_SUMS_MAX = CHARGES_MAX

const WAITING_MAX = 2_048

/** Maximum sums that `read` returns. A wallet with many recipients can have many more. */
const READ_MAX = 1_000

/** Maximum concurrent transactions after a batch has failed, when each wallet gets its own. */
const WALLETS_AT_ONCE = 4

export type PolicySumsOptions = {
  db: Database
  /** Unix time in milliseconds. */
  now: () => number
  /** Monotonic time in milliseconds. */
  monotonic: () => number
  log: OriginLog
}

type Waiting = {
  reservation: SignatureReservation
  resolve: (result: ReservationResult) => void
  reject: (error: Error) => void
}

/**
 * Reserves the charges of signatures in Postgres. All reservations that arrive while a transaction is in flight share the
 * next one (group commit). State in memory is never trusted, so any number of processes can share the same sums.
 */
export class PolicySums {
  readonly #options: PolicySumsOptions
  readonly #batches: BatchOptions
  readonly #waiting: Waiting[] = []
  #isBusy = false

  constructor(options: PolicySumsOptions) {
    this.#options = options
    this.#batches = {
      ...options,
      recordTimeline: () => this.recordTimeline(),
      seen: new SeenSums(),
      replace: prepareReplaceSums(options.db),
    }
  }

  /**
   * Reserves all charges or none. Must be called before the signature is created. The reservation is durable when the
   * promise resolves; the caller must then sign at once. Reserving the same digest again is not charged for 30 days. If
   * the promise rejects, the caller must not sign, although the charges may have been reserved.
   * @throws {DatabaseUnavailableError}
   * @throws {OverloadedError} if too many reservations are waiting
   * @throws {SumsUnavailableError} if a stored sum is invalid, or the clocks of process and database differ too much
   * @throws {TypeError} if the reservation is malformed
   */
  async reserve(reservation: SignatureReservation): Promise<ReservationResult> {
    requireValid(reservation)
    if (reservation.charges.length === 0 && !reservation.isRecorded)
      return { isReserved: true, remaining: [] }
    if (this.#waiting.length >= WAITING_MAX)
      throw new OverloadedError('too many signatures are waiting for their sums', 1_000)
    const { promise, resolve, reject } = Promise.withResolvers<ReservationResult>()
    this.#waiting.push({ reservation, resolve, reject })
    if (!this.#isBusy) {
      this.#isBusy = true
      // Deferred, so that reservations made in the same tick share the first transaction.
      queueMicrotask(() => void this.#work())
    }
    return promise
  }

  /**
   * Returns what `reserve` would return now, without reserving anything.
   * @throws {DatabaseUnavailableError | SumsUnavailableError | TypeError} like `reserve`
   */
  async simulate(reservation: SignatureReservation): Promise<ReservationResult> {
    requireValid(reservation)
    const { pkpId, charges } = reservation
    if (charges.length === 0) return { isReserved: true, remaining: [] }
    const { db, now, monotonic } = this.#options
    const startedAt = monotonic()
    const state = await fromDatabase(readDatabaseState(db, [reservation]))
    const reading = { clock: state.clock, startedAt, endedAt: monotonic() }
    const clocks = clocksOf(now(), boundsOf(reading))
    const rows = await fromDatabase(
      readSums(
        db,
        charges.map(({ key }) => ({ pkpId, key })),
      ),
    )
    const completeSince = state.isTimelineKnown ? state.completeSince : clocks.recordedAt
    const isPaid = state.paidUnder(reservation) !== undefined
    return decide(new WalletSums(rows), reservation, { clocks, completeSince, isPaid })
  }

  /**
   * Returns the states of at most a thousand of a wallet's sums.
   * @throws {DatabaseUnavailableError}
   * @throws {SumsUnavailableError} if a stored sum is invalid
   */
  async read(pkpId: string): Promise<SumStates> {
    requireWallet(pkpId)
    const rows = await fromDatabase(readWalletSums(this.#options.db, pkpId, READ_MAX))
    return new Map(
      rows.map(({ key, state }) => {
        if (!state) throw new SumsUnavailableError(`the stored sum ${key} of ${pkpId} is invalid`)
        return [key, state]
      }),
    )
  }

  /**
   * Returns the hash of the policy under which the digest was reserved in the last 30 days, or undefined.
   * @throws {DatabaseUnavailableError}
   */
  async reservedUnder(pkpId: string, digest: string): Promise<string | undefined> {
    const named = and(eq(policySignatures.pkpId, pkpId), eq(policySignatures.digest, digest))
    const { policyHash } = policySignatures
    const [row] = await fromDatabase(
      this.#options.db.select({ policyHash }).from(policySignatures).where(named),
    )
    return row?.policyHash
  }

  /**
   * Records a restore or a failover of the database, if there was one. Owners can then confirm their sums by setting
   * their policies again. Reservations also record it.
   */
  async recordTimeline(): Promise<void> {
    const { db, now, log } = this.#options
    if (await recordTimeline(db, now())) log('policies.timeline_changed')
  }

  /** Deletes expired sums and digests. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    // By the earlier clock, as in reservations.
    const at = sql`least(now(), ${new Date(now()).toISOString()}::timestamptz)`
    await deleteInBatches(db, policySums, lt(policySums.expiresAt, at))
    await deleteInBatches(db, policySignatures, lt(policySignatures.expiresAt, at))
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#settle(this.#nextBatch())
    this.#isBusy = false
  }

  #nextBatch(): Waiting[] {
    let sums = 0
    const after = this.#waiting.findIndex(({ reservation }, index) => {
      sums += reservation.charges.length
      return index === BATCH_MAX || (index > 0 && sums > BATCH_SUMS_MAX)
    })
    return this.#waiting.splice(0, after === -1 ? this.#waiting.length : after)
  }

  /**
   * Settles a batch. If its transaction fails, for example because another process locks a sum for seconds, each wallet
   * is retried in a transaction of its own. A retry never charges twice, because digests are stored with the charges.
   */
  async #settle(batch: readonly Waiting[]): Promise<void> {
    const failure = await this.#tryToSettle(batch)
    if (!failure) return
    const wallets = Map.groupBy(batch, ({ reservation }) => reservation.pkpId)
    if (wallets.size === 1 || !isRefusedByServer(failure)) return fail(batch, failure)
    const groups = wallets.values()
    const worker = async () => {
      for (const group of groups) {
        const error = await this.#tryToSettle(group)
        if (error) fail(group, error)
      }
    }
    await Promise.all(Array.from({ length: WALLETS_AT_ONCE }, worker))
  }

  /** Returns the error if the whole batch failed. */
  async #tryToSettle(batch: readonly Waiting[]): Promise<unknown> {
    let outcomes: Outcome[]
    try {
      outcomes = await reserveBatch(
        this.#batches,
        batch.map(({ reservation }) => reservation),
      )
    } catch (error) {
      return error
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]!
      if (outcome instanceof SumsUnavailableError) reject(outcome)
      else resolve(outcome)
    }
    return undefined
  }
}

function fail(batch: readonly Waiting[], cause: unknown): void {
  const error =
    cause instanceof SumsUnavailableError ? cause : new DatabaseUnavailableError({ cause })
  for (const { reject } of batch) reject(error)
}

/** SQLSTATE classes after which a smaller batch may succeed: invalid data, rollbacks, limits, and lock timeouts. */
const REFUSALS = /^(?:22|23|40|54|55)/

function isRefusedByServer(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && REFUSALS.test(cause.code)) return true
  return false
}
