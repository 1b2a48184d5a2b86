import { eq, lt, or, sql } from 'drizzle-orm'
import { databaseTimeout, rejectAfter } from '../../timeout.ts'
import type { Database } from '../../db/open.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { ContractUnavailableError } from '../chain.ts'
import type { AccountsMirror } from '../mirror.ts'

/** Duration of a lease: a process may serve reads for this long after its last successful renewal. */
export const READ_LEASE_MS = 2_000

/** Interval between renewals, which allows four attempts before a lease expires. */
const RENEW_MS = READ_LEASE_MS / 4

/**
 * While the process serves no reads, it renews the lease only when less than this is left. An idle process then updates
 * its row every 1.5 s instead of every 0.5 s.
 */
const IDLE_LEFT_MS = READ_LEASE_MS * 0.375

/** Compensates for differences in clock speed between the database and the lease holder. */
const GRACE_MS = 100

export type ReadLeaseOptions = {
  db: Database
  processId: string
  /** Process that has certainly exited (see `predecessor.ts`). Its lease is deleted, so that writes need not wait. */
  predecessor?: string | undefined
  chain: string
  mirror: Pick<AccountsMirror, 'block' | 'syncTo' | 'guard'>
  /** Returns milliseconds of a monotonic clock that continues while the process is suspended. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Subscribes to increases of the required block. If omitted, an increase is noticed only at the next renewal. */
  listen?: (onNotice: () => void) => { close(): Promise<void> }
}

/**
 * Lease that permits this process to serve reads from its mirror. The database grants a lease only if the process has
 * applied the required block (see `mirror-barrier.ts`). Without a lease, reads fail with 503. The database measures the
 * lease by its own clock. The process measures the lease from before its request, so that it stops serving reads before
 * the database considers the lease expired.
 */
export class ReadLease {
  readonly #options: ReadLeaseOptions
  #validUntil = Number.NEGATIVE_INFINITY
  #lastReadAt = Number.NEGATIVE_INFINITY
  #renewing = false
  #renewAgain = false
  #timer: NodeJS.Timeout | undefined
  #listener: { close(): Promise<void> } | undefined
  #closed = false

  constructor(options: ReadLeaseOptions) {
    this.#options = options
  }

  /**
   * Acquires the first lease, and then renews it periodically, less often while the process is idle. If the node does
   * not have the required block, reports each failure and tries again. The node may lag, or a local chain may have lost
   * its last blocks in a crash.
   */
  async start(): Promise<void> {
    const { db, chain, predecessor, mirror, now, listen } = this.#options
    mirror.guard(() => {
      this.#lastReadAt = now()
      if (this.#lastReadAt > this.#validUntil)
        throw new ContractUnavailableError(
          'this process has not caught up with another process’ writes yet',
        )
    })
    await db.insert(mirrorRequirements).values({ chain, block: 0 }).onConflictDoNothing()
    const isOld = lt(mirrorLeases.validUntil, sql`now() - interval '1 hour'`)
    const isLeft = predecessor === undefined ? undefined : eq(mirrorLeases.processId, predecessor)
    await db.delete(mirrorLeases).where(or(isOld, isLeft))
    await this.#acquireFirst()
    this.#listener = listen?.(() => this.#renewSoon())
    if (!this.#closed) this.#timer = setInterval(() => this.#renewIfDue(), RENEW_MS)
  }

  /** Releases the lease, so that writes do not have to wait for its expiry. */
  async close(): Promise<void> {
    this.#closed = true
    this.#validUntil = Number.NEGATIVE_INFINITY
    clearInterval(this.#timer)
    await this.#listener?.close()
    const { db, processId } = this.#options
    await db.delete(mirrorLeases).where(eq(mirrorLeases.processId, processId))
  }

  async #acquireFirst(): Promise<void> {
    for (;;) {
      try {
        return await this.#renewOrCatchUp()
      } catch (error) {
        if (!(error instanceof ContractUnavailableError)) throw error
        this.#options.onFailure(error)
      }
    }
  }

  #renewIfDue(): void {
    const now = this.#options.now()
    const isIdle = now - this.#lastReadAt > READ_LEASE_MS
    if (!isIdle || this.#validUntil - now < IDLE_LEFT_MS) this.#renewSoon()
  }

  /** If a renewal is already in progress, another one follows. */
  #renewSoon(): void {
    this.#renewAgain = true
    if (!this.#renewing) void this.#renewLoop()
  }

  async #renewLoop(): Promise<void> {
    this.#renewing = true
    while (this.#renewAgain && !this.#closed) {
      this.#renewAgain = false
      try {
        await this.#renewOrCatchUp()
      } catch (error) {
        this.#options.onFailure(error)
      }
    }
    this.#renewing = false
  }

  async #renewOrCatchUp(): Promise<void> {
    for (;;) {
      const required = await this.#renew()
      if (required === undefined || this.#closed) return
      await this.#options.mirror.syncTo(required)
    }
  }

  /** @returns undefined if the lease was granted; otherwise the required block, which is not applied yet */
  async #renew(): Promise<number | undefined> {
    const { db, chain, processId, mirror, now } = this.#options
    const requestedAt = now()
    const applied = mirror.block
    const answer = (await rejectAfter(
      READ_LEASE_MS,
      db.execute(sql`
        with required as (
          select block from ${mirrorRequirements} where chain = ${chain} for share
        ), renewed as (
          insert into ${mirrorLeases} (process_id, chain, block, valid_until)
          select ${processId}, ${chain}, ${applied},
            now() + ${READ_LEASE_MS + GRACE_MS} * interval '1 millisecond'
          from required where required.block <= ${applied}
          on conflict (process_id) do update
            set block = excluded.block, valid_until = excluded.valid_until
          returning process_id
        )
        select required.block, exists (select 1 from renewed) as renewed from required`),
      databaseTimeout,
    )) as { rows: { block: string; renewed: boolean }[] }
    const [row] = answer.rows
    if (!row) throw new Error('the database has no required block for this chain')
    if (!row.renewed) return Number(row.block)
    if (!this.#closed) this.#validUntil = requestedAt + READ_LEASE_MS
    return undefined
  }
}
