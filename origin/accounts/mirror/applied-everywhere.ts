import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { inTime } from '../../db/in-time.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { ChainUnavailable } from '../chain.ts'
import { READ_LEASE_MS, type ReadLeaseOptions } from './read-lease.ts'

/** Postgres channel that is notified when the required block is raised. */
export const REQUIREMENT_CHANNEL = 'svc_mirror'

/** Poll interval for the progress of other processes while a write waits for them. */
const LOOK_MS = 10

/** How long a write waits if the required block cannot be published; a database fail-over takes seconds. */
const PUBLISH_WAIT_MS = 5_000

type Waiting = { block: number; until: number; done: (error?: Error) => void }

export type AppliedEverywhereOptions = Pick<
  ReadLeaseOptions,
  'db' | 'processId' | 'chain' | 'now' | 'onFailure'
>

/**
 * Delays the response to a write until no process can answer from an earlier state: the write's block is required of
 * every process, and every unexpired lease is for that block or a later one.
 *
 * This is safe because a renewal reads the requirement under a shared lock, in one statement, and the requirement is
 * raised under an exclusive lock. A reader that lists the leases afterwards sees every lease granted for an earlier
 * block, and no further ones can be granted.
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
   * Resolves when every process with a valid lease has applied the block.
   * @throws {ChainUnavailable} if the requirement cannot be written to the database; the write itself is already mined
   */
  wait(block: number): Promise<void> {
    const until = this.#options.now() + PUBLISH_WAIT_MS
    return new Promise((resolve, reject) => {
      const done = (error?: Error) => (error ? reject(error) : resolve())
      this.#waiting.push({ block, until, done })
      if (!this.#settling) void this.#settle()
    })
  }

  /** Serves all waiting writes together. */
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
        const unknown = 'the write is done, but not every process could be told'
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

  /** Returns the lowest block among the valid leases of other processes. */
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
