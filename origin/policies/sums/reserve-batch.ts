import type { Database, Transaction } from '../../db/open.ts'
import {
  assumedBounds,
  boundsOf,
  CLOCK_DIFFERENCE_MAX_MS,
  clocksOf,
  COMMIT_MAX_MS,
  type Clocks,
} from './clocks.ts'
import { type DatabaseState, readDatabaseState } from './database-state.ts'
import { decide, WalletSums } from './decide.ts'
import type { ReplaceSums } from './replace-sums.ts'
import { differences, type ReservationResult, type SignatureReservation } from './reservation.ts'
import type { SeenDatabase, SeenSums } from './seen-sums.ts'
import {
  type ChangedSum,
  insertEmptySums,
  lockSums,
  type SumId,
  type SumRow,
  sumName,
  writeSums,
} from './sum-rows.ts'
import { SumsUnavailableError } from './sums-unavailable.ts'

/** A new sum and a new timeline need one more attempt each. Further ones are needed only if rows expire in between. */
const ATTEMPTS_MAX = 5

const DIGEST_RETENTION_MS = 30 * 86_400_000

export type BatchOptions = {
  db: Database
  now: () => number
  /** Monotonic time in milliseconds. */
  monotonic: () => number
  /** Called if the database's timeline is not recorded yet. */
  recordTimeline: () => Promise<void>
  seen: SeenSums
  replace: ReplaceSums
}

/** Result of one reservation. An error does not affect the other reservations of the batch. */
export type Outcome = ReservationResult | SumsUnavailableError

/**
 * Reserves in one statement if nothing has changed since this process last saw the sums, and otherwise in a transaction
 * that locks them first. Both decide with the same code, but only the transaction can refuse. A reservation that fails
 * does not affect the others. If this throws, any of the amounts may count as spent, and the caller must not sign.
 * @throws {SumsUnavailableError} if the clocks differ too much
 * @throws {Error} any error of the database
 */
export async function reserveBatch(
  options: BatchOptions,
  batch: readonly SignatureReservation[],
): Promise<Outcome[]> {
  const { db, now, recordTimeline, seen } = options
  const ids = sumIds(batch)
  const assumed = await tryAssumed(options, batch, ids)
  if (assumed) return assumed
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const tried = await db.transaction((tx) => tryBatch(tx, options, batch, ids), {
      isolationLevel: 'read committed',
    })
    if ('missing' in tried) await insertEmptySums(db, tried.missing, now())
    else if ('isTimelineNew' in tried) await recordTimeline()
    else {
      seen.remember(tried.rows, tried.database)
      requireRecent(options, tried.database.reading.startedAt, tried.clock)
      return tried.outcomes
    }
  }
  throw new Error('the rows of sums are deleted again and again')
}

/**
 * Optimistic path: decides with assumed sums and assumed bounds of the database's clock, which the database verifies
 * when it writes. Amounts expire by the lower bound and are recorded at the upper one, so they can count longer, but
 * never shorter. Returns undefined if a transaction has to decide.
 */
async function tryAssumed(
  options: BatchOptions,
  batch: readonly SignatureReservation[],
  ids: readonly SumId[],
): Promise<Outcome[] | undefined> {
  const { now, monotonic, seen, replace } = options
  const { database } = seen
  // The statement cannot verify that replaced digests are stored.
  if (batch.some(({ replaces }) => replaces)) return undefined
  const before = database && seen.assume(ids)
  if (!before) return undefined
  const startedAt = monotonic()
  const clock = now()
  const bounds = assumedBounds(database.reading, startedAt)
  if (!(Math.max(clock - bounds.from, bounds.to - clock) <= CLOCK_DIFFERENCE_MAX_MS))
    return undefined
  const clocks = clocksOf(clock, bounds)
  const { completeSince } = database
  const sums = new WalletSums(before)
  const { outcomes, paid } = decideAll(
    sums,
    batch,
    { completeSince, paidUnder: () => undefined },
    clocks,
  )
  if (!outcomes.every((outcome) => 'isReserved' in outcome && outcome.isReserved)) return undefined
  const { changed, after } = changesOf(before, sums, paid)
  const paidUntil = clocks.recordedAt + DIGEST_RETENTION_MS
  const replaced = await replace({ before, changed, paid, paidUntil, completeSince, bounds })
  if (!replaced.isReplaced) {
    seen.reject(ids)
    return undefined
  }
  const reading = { clock: replaced.clock, startedAt, endedAt: monotonic() }
  seen.remember(after, { completeSince, reading })
  seen.confirm(ids)
  requireRecent(options, startedAt, clock)
  return outcomes
}

type Tried =
  | { missing: SumId[] }
  | { isTimelineNew: true }
  | { outcomes: Outcome[]; rows: SumRow[]; database: SeenDatabase; clock: number }

async function tryBatch(
  tx: Transaction,
  { now, monotonic }: BatchOptions,
  batch: readonly SignatureReservation[],
  ids: readonly SumId[],
): Promise<Tried> {
  const rows = await lockSums(tx, ids)
  if (rows.length < ids.length) {
    const found = new Set(rows.map(sumName))
    return { missing: ids.filter((id) => !found.has(sumName(id))) }
  }
  const startedAt = monotonic()
  const replaced = batch.flatMap(({ pkpId, replaces }) =>
    replaces ? [{ pkpId, digest: replaces.digest }] : [],
  )
  const state = await readDatabaseState(tx, [...batch, ...replaced])
  if (!state.isTimelineKnown) return { isTimelineNew: true }
  const clock = now()
  const reading = { clock: state.clock, startedAt, endedAt: monotonic() }
  const clocks = clocksOf(clock, boundsOf(reading))
  const sums = new WalletSums(rows)
  const { outcomes, paid } = decideAll(sums, batch, state, clocks)
  const { changed, after } = changesOf(rows, sums, paid)
  if (paid.length > 0) await writeSums(tx, changed, paid, clocks.recordedAt + DIGEST_RETENTION_MS)
  const { completeSince } = state
  return { outcomes, rows: after, database: { completeSince, reading }, clock }
}

/** Returns all sums after the decisions, and those that differ from the given rows. */
function changesOf(
  rows: readonly SumRow[],
  sums: WalletSums,
  paid: readonly SignatureReservation[],
): { changed: ChangedSum[]; after: SumRow[] } {
  const windows = windowsOf(paid)
  const after = rows.map(({ pkpId, key, state }) => {
    return { pkpId, key, state: state && sums.of(pkpId).get(key) }
  })
  const changed = after.flatMap(({ pkpId, key, state }, index) => {
    if (!state || state === rows[index]!.state) return []
    const ends = Math.max(...state.buckets.map((bucket) => bucket.ends))
    return [{ pkpId, key, state, expiresAt: ends + windows.get(sumName({ pkpId, key }))! }]
  })
  return { changed, after }
}

function decideAll(
  sums: WalletSums,
  batch: readonly SignatureReservation[],
  { paidUnder, completeSince }: Pick<DatabaseState, 'paidUnder' | 'completeSince'>,
  clocks: Clocks,
) {
  const paid = new Map<string, SignatureReservation>()
  const outcomes = batch.map((reservation): Outcome => {
    const { pkpId, digest, policyHash, replaces } = reservation
    const name = pkpId + digest
    const isPaid = paidUnder(reservation) !== undefined || paid.has(name)
    const isReplacedPaid = replaces && paidUnder({ pkpId, digest: replaces.digest }) === policyHash
    const charges = isReplacedPaid ? differences(reservation) : reservation.charges
    try {
      const result = decide(sums, { ...reservation, charges }, { clocks, completeSince, isPaid })
      if (result.isReserved && !isPaid) paid.set(name, reservation)
      return result
    } catch (error) {
      if (error instanceof SumsUnavailableError) return error
      throw error
    }
  })
  return { outcomes, paid: [...paid.values()] }
}

/** Windows of the charged sums in milliseconds: the longest one if a batch contains signatures under two policies. */
function windowsOf(paid: readonly SignatureReservation[]): Map<string, number> {
  const windows = new Map<string, number>()
  for (const { pkpId, charges } of paid)
    for (const { key, window_s } of charges) {
      const name = sumName({ pkpId, key })
      windows.set(name, Math.max(windows.get(name) ?? 0, window_s * 1_000))
    }
  return windows
}

/**
 * Throws if the process was suspended before it received the response, because the amounts could otherwise leave their
 * windows too early.
 */
function requireRecent({ now, monotonic }: BatchOptions, startedAt: number, clock: number): void {
  if (Math.max(monotonic() - startedAt, now() - clock) > COMMIT_MAX_MS)
    throw new Error(`the transaction took more than ${COMMIT_MAX_MS} ms`)
}

function sumIds(batch: readonly SignatureReservation[]): SumId[] {
  const ids = new Map<string, SumId>()
  for (const { pkpId, charges } of batch)
    for (const { key } of charges) ids.set(sumName({ pkpId, key }), { pkpId, key })
  return [...ids.values()]
}
