import type { Database, Transaction } from '../../db/open.ts'
import { clocksOf, COMMIT_MAX_MS, type Clocks } from './clocks.ts'
import { type DatabaseState, readDatabaseState } from './database-state.ts'
import { decide, WalletSums } from './decide.ts'
import type { ReservationResult, SignatureReservation } from './reservation.ts'
import { insertEmptySums, lockSums, type PaidDigest, type SumId, writeSums } from './sum-rows.ts'
import { SumsUnavailableError } from './sums-unavailable.ts'

/** A new sum and a new timeline take another attempt each. Then only expired rows can be missing again. */
const ATTEMPTS_MAX = 5

/** Digests are kept for this time after their charges were reserved. */
const DIGEST_RETENTION_MS = 30 * 86_400_000

export type BatchOptions = {
  db: Database
  now: () => number
  /** Milliseconds of a clock that is never set. */
  monotonic: () => number
  /** Called if the database's timeline is not recorded yet. */
  recordTimeline: () => Promise<void>
}

/** The error concerns only its reservation. */
export type Outcome = ReservationResult | SumsUnavailableError

/**
 * Reserves in one transaction. A reservation that fails does not affect the others. If this throws, all amounts may
 * count as spent, and nothing may be signed.
 * @throws {SumsUnavailableError} if the clocks differ too much
 * @throws {Error} any error of the database
 */
export async function reserveBatch(
  options: BatchOptions,
  batch: readonly SignatureReservation[],
): Promise<Outcome[]> {
  const { db, now, recordTimeline } = options
  const ids = sumIds(batch)
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const tried = await db.transaction((tx) => tryBatch(tx, options, batch, ids), {
      isolationLevel: 'read committed',
    })
    if ('missing' in tried) await insertEmptySums(db, tried.missing, now())
    else if ('isTimelineNew' in tried) await recordTimeline()
    else {
      requireRecent(options, tried)
      return tried.outcomes
    }
  }
  throw new Error('the rows of sums are deleted again and again')
}

type Tried =
  | { missing: SumId[] }
  | { isTimelineNew: true }
  | { outcomes: Outcome[]; startedAt: number; clock: number }

async function tryBatch(
  tx: Transaction,
  { now, monotonic }: BatchOptions,
  batch: readonly SignatureReservation[],
  ids: readonly SumId[],
): Promise<Tried> {
  const rows = await lockSums(tx, ids)
  if (rows.length < ids.length) {
    const found = new Set(rows.map(({ pkpId, key }) => pkpId + key))
    return { missing: ids.filter(({ pkpId, key }) => !found.has(pkpId + key)) }
  }
  const startedAt = monotonic()
  const state = await readDatabaseState(tx, batch)
  if (!state.isTimelineKnown) return { isTimelineNew: true }
  const clock = now()
  const clocks = clocksOf(clock, state.clock, monotonic() - startedAt)
  const sums = new WalletSums(rows)
  const { outcomes, paid } = decideAll(sums, batch, state, clocks)
  if (paid.length > 0) {
    const expiry = expiries(paid)
    const changed = rows.flatMap(({ pkpId, key, state: before }) => {
      const after = sums.of(pkpId).get(key)
      if (!after || after === before) return []
      const ends = Math.max(...after.buckets.map((bucket) => bucket.ends))
      return [{ pkpId, key, state: after, expiresAt: ends + expiry.get(pkpId + key)! }]
    })
    await writeSums(tx, changed, paid, clocks.recordedAt + DIGEST_RETENTION_MS)
  }
  return { outcomes, startedAt, clock }
}

function decideAll(
  sums: WalletSums,
  batch: readonly SignatureReservation[],
  { isPaid, completeSince }: DatabaseState,
  clocks: Clocks,
) {
  const paid = new Map<string, SignatureReservation>()
  const outcomes = batch.map((reservation): Outcome => {
    const name = reservation.pkpId + reservation.digest
    const isPaidBefore = isPaid(reservation) || paid.has(name)
    try {
      const result = decide(sums, reservation, { clocks, completeSince, isPaid: isPaidBefore })
      if (result.isReserved && !isPaidBefore) paid.set(name, reservation)
      return result
    } catch (error) {
      if (error instanceof SumsUnavailableError) return error
      throw error
    }
  })
  return { outcomes, paid: [...paid.values()] }
}

/** Windows in milliseconds of the sums that are charged. Policies of one wallet can have different ones for a moment. */
function expiries(paid: readonly (PaidDigest & SignatureReservation)[]): Map<string, number> {
  const windows = new Map<string, number>()
  for (const { pkpId, charges } of paid)
    for (const { key, window_s } of charges)
      windows.set(pkpId + key, Math.max(windows.get(pkpId + key) ?? 0, window_s * 1_000))
  return windows
}

/**
 * Refuses signatures of a process that was suspended before it got the answer, because its amounts could leave their
 * sums too early.
 */
function requireRecent(
  { now, monotonic }: BatchOptions,
  { startedAt, clock }: { startedAt: number; clock: number },
): void {
  if (Math.max(monotonic() - startedAt, now() - clock) > COMMIT_MAX_MS)
    throw new Error(`the transaction took more than ${COMMIT_MAX_MS} ms`)
}

function sumIds(batch: readonly SignatureReservation[]): SumId[] {
  const ids = new Map<string, SumId>()
  for (const { pkpId, charges } of batch)
    for (const { key } of charges) ids.set(pkpId + key, { pkpId, key })
  return [...ids.values()]
}
