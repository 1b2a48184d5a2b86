import { eq, lt, lte, sql } from 'drizzle-orm'
import { deleteOld } from '../db/delete-old.ts'
import type { Database } from '../db/open.ts'
import { callRates } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { callerId } from './caller-id.ts'

/** Thrown if a rate limit is exceeded. The rejected call had no effect. */
export class TooManyCalls extends Error {
  readonly retryAfterMs: number
  constructor(what: string, retryAfterMs: number) {
    super(what)
    this.name = 'TooManyCalls'
    this.retryAfterMs = retryAfterMs
  }
}

const HOUR_MS = 60 * 60 * 1000

export type CallRateOptions = {
  db: Database
  now: () => number
  /** Name of the limited operation. Calls are limited separately for each name. */
  name: string
  /** Key for hashing callers before they are stored in the database. */
  hashKey: Uint8Array
  /** Error message used if the limit is exceeded. By default, a message that contains the name. */
  refusal?: string
  /** Number of calls allowed in a burst, and per hour in the long term. */
  burst: number
  perHour: number
}

/**
 * Rate limit per caller, shared by all processes. Implements GCRA with one upsert per call. `full_at` is the time at
 * which the caller's full burst is available again. Each call postpones this time by the time needed to restore one
 * call.
 */
export class CallRate {
  readonly #options: CallRateOptions
  readonly #intervalMs: number

  constructor(options: CallRateOptions) {
    this.#options = options
    this.#intervalMs = Math.ceil(HOUR_MS / options.perHour)
  }

  /**
   * Counts a call.
   * @throws {TooManyCalls | DatabaseUnavailable}
   */
  async take(caller: string): Promise<void> {
    const { db, now, name, hashKey, burst } = this.#options
    const id = callerId(hashKey, name, caller)
    const at = now()
    const latest = at + (burst - 1) * this.#intervalMs
    const from = sql`greatest(${callRates.fullAt}, ${new Date(at).toISOString()}::timestamptz)`
    const taken = await fromDatabase(
      db
        .insert(callRates)
        .values({ id, fullAt: new Date(at + this.#intervalMs) })
        .onConflictDoUpdate({
          target: callRates.id,
          set: { fullAt: sql`${from} + ${this.#intervalMs} * interval '1 millisecond'` },
          setWhere: lte(callRates.fullAt, new Date(latest)),
        })
        .returning({ id: callRates.id }),
    )
    if (taken.length === 1) return
    const rows = await fromDatabase(db.select().from(callRates).where(eq(callRates.id, id)))
    const fullAt = rows[0]?.fullAt.getTime() ?? latest
    const { refusal = `too many calls of ${name} from this address` } = this.#options
    throw new TooManyCalls(refusal, fullAt - latest)
  }

  /** Deletes the rows of callers whose full burst is available again. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteOld(db, callRates, lt(callRates.fullAt, new Date(now())))
  }
}
