import { createHmac } from 'node:crypto'
import { eq, lt, lte, sql } from 'drizzle-orm'
import { HOUR_MS } from '../../shared/durations.ts'
import { deleteInBatches } from '../db/delete-in-batches.ts'
import type { Database } from '../db/open.ts'
import { callRates } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'

/** Thrown if a limit is exceeded. The rejected call had no effect. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError'
  readonly retryAfterMs: number
  constructor(what: string, retryAfterMs: number) {
    super(what)
    this.retryAfterMs = retryAfterMs
  }
}

type CallRateOptions = {
  db: Database
  now: () => number
  name: string
  /** Key for hashing callers before they are stored in the database. */
  hashKey: Uint8Array
  /** @default a message that contains the name */
  refusal?: string
  /** Calls allowed in a burst (`burst`), and per hour in the long term (`perHour`). */
  burst: number
  perHour: number
}

/**
 * Rate limit per caller, shared by all processes. Uses GCRA with one upsert per call: each call postpones `full_at`,
 * the time at which the full burst is available again, by the time in which one call is restored.
 */
export class CallRate {
  readonly #options: CallRateOptions
  readonly #intervalMs: number

  constructor(options: CallRateOptions) {
    this.#options = options
    this.#intervalMs = Math.ceil(HOUR_MS / options.perHour)
  }

  /** @throws {LimitExceededError | DatabaseUnavailableError} */
  async take(caller: string): Promise<void> {
    const { db, now, name, hashKey, burst } = this.#options
    const id = hashedCallerId(hashKey, name, caller)
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
    throw new LimitExceededError(refusal, fullAt - latest)
  }

  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteInBatches(db, callRates, lt(callRates.fullAt, new Date(now())))
  }
}

export function hashedCallerId(hashKey: Uint8Array, name: string, caller: string): string {
  const hash = createHmac('sha256', hashKey)
    .update(JSON.stringify([name, caller]))
    .digest('hex')
  return `${name} ${hash}`
}
