import { eq, lt, lte, sql } from 'drizzle-orm'
import { deleteOld } from '../db/delete-old.ts'
import type { Database } from '../db/open.ts'
import { callRates } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { callerId } from './caller-id.ts'

/** More calls than are taken; nothing was done. */
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
  /** What is limited: each name has calls of its own. */
  name: string
  /** Callers are in the database as hashes under this key. */
  hashKey: Uint8Array
  /** What is said to who is refused; else that the name was called too often from this address. */
  refusal?: string
  /** Calls that may come at once, and how many an hour over time. */
  burst: number
  perHour: number
}

/**
 * A rate for each caller, the same one at every process: GCRA, as one upsert a call. `full_at` is when the caller's
 * burst is whole again; a call moves it on by the time that one call takes to grow back.
 */
export class CallRate {
  readonly #options: CallRateOptions
  readonly #intervalMs: number

  constructor(options: CallRateOptions) {
    this.#options = options
    this.#intervalMs = Math.ceil(HOUR_MS / options.perHour)
  }

  /** @throws {TooManyCalls | DatabaseUnavailable} */
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
    const { refusal = `${name} was called too often from this address` } = this.#options
    throw new TooManyCalls(refusal, fullAt - latest)
  }

  /** Forgets callers whose burst is whole. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteOld(db, callRates, lt(callRates.fullAt, new Date(now())))
  }
}
