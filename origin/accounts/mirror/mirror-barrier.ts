import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { databaseTimeout, rejectAfter } from '../../timeout.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { ContractUnavailableError } from '../chain.ts'
import { READ_LEASE_MS, type ReadLeaseOptions } from './read-lease.ts'

export const REQUIREMENT_CHANNEL = 'svc_mirror'

const POLL_MS = 10

/** Maximum time for storing the required block. Allows for a database failover, which takes seconds. */
const PUBLISH_WAIT_MS = 5_000

type BarrierWaiter = { block: number; until: number; done: (error?: Error) => void }

type MirrorBarrierOptions = Pick<
  ReadLeaseOptions,
  'db' | 'processId' | 'chain' | 'now' | 'onFailure'
>

/**
 * Delays the response to a write until no process can serve reads from an earlier state. First raises the required
 * block to the write's block. Then waits until all unexpired leases of other processes are for that block or a later
 * one.
 *
 * No lease can be missed. A renewal reads the required block under a shared lock, in one statement, and the required
 * block is raised under an exclusive lock. A process that lists the leases after raising the required block therefore
 * sees every lease that was granted for an earlier block, and no further lease can be granted for an earlier block.
 */
export class MirrorBarrier {
  readonly #options: MirrorBarrierOptions
  #required = -1
  #waiters: BarrierWaiter[] = []
  #polling = false

  constructor(options: MirrorBarrierOptions) {
    this.#options = options
  }

  /**
   * @throws {ContractUnavailableError} if the required block cannot be stored in the database; the write itself is
   * already mined
   */
  wait(block: number): Promise<void> {
    const until = this.#options.now() + PUBLISH_WAIT_MS
    return new Promise((resolve, reject) => {
      const done = (error?: Error) => (error ? reject(error) : resolve())
      this.#waiters.push({ block, until, done })
      if (!this.#polling) void this.#poll()
    })
  }

  async #poll(): Promise<void> {
    this.#polling = true
    while (this.#waiters.length > 0) {
      try {
        await this.#raiseRequiredBlock(Math.max(...this.#waiters.map(({ block }) => block)))
        const lowest = await this.#lowestLeasedBlock()
        this.#release(({ block }) => block <= Math.min(lowest, this.#required))
      } catch (error) {
        this.#options.onFailure(error)
        const now = this.#options.now()
        const unknown = 'the write succeeded, but not every process could be notified'
        this.#release(
          ({ until }) => until < now,
          new ContractUnavailableError(unknown, { cause: error }),
        )
      }
      if (this.#waiters.length > 0) await sleep(POLL_MS)
    }
    this.#polling = false
  }

  #release(isReleased: (waiting: BarrierWaiter) => boolean, error?: Error): void {
    const released = this.#waiters.filter(isReleased)
    this.#waiters = this.#waiters.filter((one) => !released.includes(one))
    for (const { done } of released) done(error)
  }

  async #raiseRequiredBlock(block: number): Promise<void> {
    if (block <= this.#required) return
    const { db, chain } = this.#options
    await rejectAfter(
      READ_LEASE_MS,
      db.execute(sql`
        with required as (
          update ${mirrorRequirements} set block = greatest(block, ${block})
          where chain = ${chain} returning block
        )
        select pg_notify(${REQUIREMENT_CHANNEL}, block::text) from required`),
      databaseTimeout,
    )
    this.#required = block
  }

  /** Returns Infinity if no other process has a valid lease. */
  async #lowestLeasedBlock(): Promise<number> {
    const { db, chain, processId } = this.#options
    const others = await rejectAfter(
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
      databaseTimeout,
    )
    const lowest = others[0]?.block
    return lowest === null || lowest === undefined ? Number.POSITIVE_INFINITY : Number(lowest)
  }
}
