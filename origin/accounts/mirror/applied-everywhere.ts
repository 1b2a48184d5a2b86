import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { inTime } from '../../db/in-time.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { ChainUnavailable } from '../chain.ts'
import { READ_LEASE_MS, type ReadLeaseOptions } from './read-lease.ts'

/** Notified whenever the required block was raised. */
export const REQUIREMENT_CHANNEL = 'svc_mirror'

/** Between two looks at what the other processes have applied, while a write waits for them. */
const LOOK_MS = 10

/** A write that can not be made known waits so long for the database: a fail-over of one takes seconds. */
const PUBLISH_WAIT_MS = 5_000

type Waiting = { block: number; until: number; done: (error?: Error) => void }

export type AppliedEverywhereOptions = Pick<
  ReadLeaseOptions,
  'db' | 'processId' | 'chain' | 'now' | 'onFailure'
>

/**
 * Keeps a write's answer back until no process answers by the state before it: its block is required of all, and
 * every lease that has not run out is of that block or a later one.
 *
 * Why that holds: a renewal reads the requirement under a shared lock, in one statement, and the requirement is
 * raised under an exclusive one. So whoever looks at the leases after that sees each one that was given for less,
 * and none is given for less any more.
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
   * Returns when every process that answers has applied the block.
   * @throws {ChainUnavailable} when the database can not be told: the write is in its block all the same
   */
  wait(block: number): Promise<void> {
    const until = this.#options.now() + PUBLISH_WAIT_MS
    return new Promise((resolve, reject) => {
      const done = (error?: Error) => (error ? reject(error) : resolve())
      this.#waiting.push({ block, until, done })
      if (!this.#settling) void this.#settle()
    })
  }

  /** For all writes that wait, together. */
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

  /** The lowest block that a process other than this one may answer by. */
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
