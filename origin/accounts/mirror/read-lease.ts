import { eq, lt, or, sql } from 'drizzle-orm'
import { inTime } from '../../db/in-time.ts'
import type { Database } from '../../db/open.ts'
import { mirrorLeases, mirrorRequirements } from '../../db/schema.ts'
import { type Chain, ChainUnavailable } from '../chain.ts'
import type { AccountsMirror } from '../mirror.ts'

/** A process answers from its mirror for so long after the database last agreed (`decisions.md`, grants). */
export const READ_LEASE_MS = 2_000

/** Four tries before a lease is out. */
const RENEW_MS = READ_LEASE_MS / 4

/** The database counts a lease a little longer than its holder does: only differences of clock speed are in it. */
const GRACE_MS = 100

export type ReadLeaseOptions = {
  db: Database
  processId: string
  /** A process that is certainly dead (`predecessor.ts`): no write waits for its lease. */
  predecessor?: string | undefined
  /** What the block numbers are of: see `chainIdentity`. */
  chain: string
  mirror: Pick<AccountsMirror, 'block' | 'syncTo' | 'guard'>
  /** Milliseconds of a clock that never jumps; goes on while the process is stopped. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Calls back when the requirement was raised. Without it a lease learns at its next renewal. */
  listen?: (onNotice: () => void) => { close(): Promise<void> }
}

/** The same for every process on one chain and contract; another for a chain that was begun anew. */
export async function chainIdentity({ provider, chainId, ...contract }: Chain): Promise<string> {
  const first = await provider.getBlock(contract.contractBlock)
  if (!first?.hash) throw new ChainUnavailable('the chain does not show the contract’s first block')
  return `${chainId}:${contract.contractAddress.toLowerCase()}:${first.hash}`
}

/**
 * A process' right to answer by its mirror: a lease in the database, given for as long as the process has applied
 * the block that is required of all (`applied-everywhere.ts`). Without one its mirror answers 503. The lease runs by
 * the database's clock; its holder counts from before it asked.
 */
export class ReadLease {
  readonly #options: ReadLeaseOptions
  #validUntil = Number.NEGATIVE_INFINITY
  #renewing = false
  #again = false
  #timer: NodeJS.Timeout | undefined
  #listener: { close(): Promise<void> } | undefined
  #closed = false

  constructor(options: ReadLeaseOptions) {
    this.#options = options
  }

  /**
   * Takes the first lease, then renews it. While the node does not have the required block, as one that lags or a local
   * chain that lost its last blocks in a crash, this waits and reports it.
   */
  async start(): Promise<void> {
    const { db, chain, predecessor, mirror, now, listen } = this.#options
    mirror.guard(() => {
      if (now() > this.#validUntil)
        throw new ChainUnavailable('this process has to catch up with writes of another one first')
    })
    await db.insert(mirrorRequirements).values({ chain, block: 0 }).onConflictDoNothing()
    const isOld = lt(mirrorLeases.validUntil, sql`now() - interval '1 hour'`)
    const isLeft = predecessor === undefined ? undefined : eq(mirrorLeases.processId, predecessor)
    await db.delete(mirrorLeases).where(or(isOld, isLeft))
    await this.#firstLease()
    this.#listener = listen?.(() => this.#renewSoon())
    this.#schedule()
  }

  /** Gives the lease back, so that no write waits for it. */
  async close(): Promise<void> {
    this.#closed = true
    this.#validUntil = Number.NEGATIVE_INFINITY
    clearTimeout(this.#timer)
    await this.#listener?.close()
    const { db, processId } = this.#options
    await db.delete(mirrorLeases).where(eq(mirrorLeases.processId, processId))
  }

  async #firstLease(): Promise<void> {
    for (;;) {
      try {
        return await this.#renewOrCatchUp()
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error
        this.#options.onFailure(error)
      }
    }
  }

  #schedule(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#renewSoon()
      this.#schedule()
    }, RENEW_MS)
  }

  /** One renewal at a time; a notice that comes during one is followed by another. */
  #renewSoon(): void {
    this.#again = true
    if (!this.#renewing) void this.#renewals()
  }

  async #renewals(): Promise<void> {
    this.#renewing = true
    while (this.#again && !this.#closed) {
      this.#again = false
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

  /** @returns the block that is required where it is not applied, and no lease was given */
  async #renew(): Promise<number | undefined> {
    const { db, chain, processId, mirror, now } = this.#options
    const askedAt = now()
    const applied = mirror.block
    const answer = (await inTime(
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
    )) as { rows: { block: string; renewed: boolean }[] }
    const [row] = answer.rows
    if (!row) throw new Error('the requirement of this chain is not in the database')
    if (!row.renewed) return Number(row.block)
    if (!this.#closed) this.#validUntil = askedAt + READ_LEASE_MS
    return undefined
  }
}
