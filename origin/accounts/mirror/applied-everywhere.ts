import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { inTime } from '../../db/in-time.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { ChainUnavailable } from '../chain.ts'
import { READ_LEASE_MS, type ReadLeaseOptions } from './read-lease.ts'

/** PostgreSQL channel, notified if the required block is raised. */
export const REQUIREMENT_CHANNEL = 'svc_mirror'

const LOOK_MS = 10

/** Limit for storing the required block. A database failover takes seconds. */
const PUBLISH_WAIT_MS = 5_000

type Waiting = { block: number; until: number; done: (error?: Error) => void }

export type AppliedEverywhereOptions = Pick<
  ReadLeaseOptions,
  'db' | 'processId' | 'chain' | 'now' | 'onFailure'
>

/**
 * Delays the response to a write until no process can respond to reads with an earlier state. That is once every
 * process is required to have applied the write's block, and all unexpired leases are for that block or a later one.
 *
 * This is safe for two reasons. A renewal reads the required block under a shared lock, in one statement. The required
 * block is raised under an exclusive lock. A process that lists the leases afterwards therefore sees every lease that
 * was granted for an earlier block, and no more of those can be granted.
 */
export class AppliedEverywhere {
  readonly #options: AppliedEverywhereOptions
  #required = -1
  #waiting: Waiting[] = []
  #settling = false

  constructor(options: AppliedEverywhereOptions) {
    this.#options = options
  }

  /**
   * @throws {ChainUnavailable} if the required block cannot be written to the database; the write itself is already
   * mined
   */
  wait(block: number): Promise<void> {
    const until = this.#options.now() + PUBLISH_WAIT_MS
    return new Promise((resolve, reject) => {
      const done = (error?: Error) => (error ? reject(error) : resolve())
      this.#waiting.push({ block, until, done })
      if (!this.#settling) void this.#settle()
    })
  }

  async #settle(): Promise<void> {
    this.#settling = true
    while (this.#waiting.length > 0) {
      try {
        await this.#require(Math.max(...this.#waiting.map(({ block }) => block)))
        const lowest = await this.#lowestOfOthers()
        this.#end(({ block }) => block <= Math.min(lowest, this.#required))
      } catch (error) {
        this.#options.onFailure(error)
        const now = this.#options.now()
        const unknown = 'the write succeeded, but not every process could be notified'
        this.#end(({ until }) => until < now, new ChainUnavailable(unknown, { cause: error }))
      }
      if (this.#waiting.length > 0) await sleep(LOOK_MS)
    }
    this.#settling = false
  }

  #end(isOver: (waiting: Waiting) => boolean, error?: Error): void {
    const over = this.#waiting.filter(isOver)
    this.#waiting = this.#waiting.filter((one) => !over.includes(one))
    for (const { done } of over) done(error)
  }

  async #require(block: number): Promise<void> {
    if (block <= this.#required) return
    const { db, chain } = this.#options
    await inTime(
      READ_LEASE_MS,
      db.execute(sql`
        with required as (
          update ${mirrorRequirements} set block = greatest(block, ${block})
          where chain = ${chain} returning block
        )
        select pg_notify(${REQUIREMENT_CHANNEL}, block::text) from required`),
    )
    this.#required = block
  }

  /** Infinity if no other process has a valid lease. */
  async #lowestOfOthers(): Promise<number> {
    const { db, chain, processId } = this.#options
    const others = await inTime(
      READ_LEASE_MS,
      db
        .select({ block: sql<string | null>`min(${mirrorLeases.block})` })
        .from(mirrorLeases)
        .where(
          and(
            eq(mirrorLeases.chain, chain),
            sql`${mirrorLeases.processId} <> ${processId}`,
            sql`${mirrorLeases.validUntil} > clock_timestamp()`,
          ),
        ),
    )
    const lowest = others[0]?.block
    return lowest === null || lowest === undefined ? Number.POSITIVE_INFINITY : Number(lowest)
  }
}
