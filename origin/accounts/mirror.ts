import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_FINALITY_DEFAULT, MIRROR_STALE_MS } from '../../shared/limits.ts'
import { Branch } from './mirror/branch.ts'
import { BranchGone } from './mirror/catch-up.ts'
import { type Chain, ChainUnavailable } from './chain.ts'
import { type BlockId, ChainReader, UnusableAnswer } from './mirror/chain-reader.ts'
import { EventsMissing } from './mirror/fold.ts'
import { follow } from './mirror/follow.ts'
import type { SnapshotKeeper } from './mirror/snapshot-keeper.ts'
import { AccountsState } from './state.ts'

export type MirrorOptions = {
  chain: Chain
  /** Milliseconds between the starts of two polls. */
  pollMs: number
  /** Milliseconds; only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Number of blocks above a block that make it final. */
  finality?: number
  /** Stores the state for the next start. */
  snapshots?: SnapshotKeeper
}

/** Attempts of the first poll: a node behind a load balancer may lag slightly. */
const START_TRIES = 3
const TRY_AGAIN_MS = 25

/** Maximum wait for a write's block: longer than nodes behind a load balancer lag behind each other. */
const SYNC_WAIT_MS = 15_000

/**
 * The contract's accounts in memory, pinned to a block. Reads are lookups without an RPC. They see state that is at
 * most `MIRROR_STALE_MS` old, or fail.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  readonly #reader: ChainReader
  readonly #finality: number
  /** The branch that reads are served from. */
  #branch: Branch | undefined
  /** The branch being advanced: the served branch, or its replacement. */
  #reading: Branch | undefined
  #syncedAt = Number.NEGATIVE_INFINITY
  #syncing: Promise<void> | undefined
  #guard: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#reader = new ChainReader(options.chain)
    this.#finality = options.finality ?? CHAIN_FINALITY_DEFAULT
  }

  /** Reads the chain up to its head, then starts polling. @throws {ChainUnavailable} */
  async start(): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        await this.#sync()
        break
      } catch (error) {
        if (tried === START_TRIES) throw error
        await sleep(TRY_AGAIN_MS)
      }
    }
    this.#schedule(this.#options.pollMs)
  }

  /** Stops polling and saves the state for the next start. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#syncing?.catch(() => {})
    await this.#options.snapshots?.close(this.#branch)
  }

  /** Returns the accounts at the pinned block. @throws {ChainUnavailable} if the last successful poll is too old */
  current(): AccountsState {
    if (!this.#branch || this.#options.now() - this.#syncedAt > MIRROR_STALE_MS)
      throw new ChainUnavailable(
        'the chain has not answered for longer than permissions may be old',
      )
    this.#guard?.()
    return this.#branch.state
  }

  /** The block number of the state; -1 before the first poll. */
  get block(): number {
    return this.#branch?.tip.number ?? -1
  }

  /** Milliseconds since the state was last known to be at the head; Infinity before the first successful poll. */
  get ageMs(): number {
    return this.#options.now() - this.#syncedAt
  }

  /** Blocks between the state and the highest head seen. */
  get lagBlocks(): number {
    return Math.max(0, this.#reader.headSeen - this.block)
  }

  /** Number of accounts in the state, even if it is stale. */
  get accounts(): number {
    return this.#branch?.state.size ?? 0
  }

  /** Registers a check that `current` runs before each read. @param guard throws if the state must not be used */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /**
   * Waits until the given block is part of the state.
   * @param hash the block's hash if known; if the state has another block at that height, the mirror keeps polling
   * @throws {ChainUnavailable} if the chain does not return the block in time
   */
  async syncTo(block: number, hash?: string): Promise<void> {
    const deadline = this.#options.now() + SYNC_WAIT_MS
    let failure: unknown
    while (!this.#holds(block, hash)) {
      if (this.#options.now() > deadline)
        throw new ChainUnavailable(`the chain does not show block ${block} again`, {
          cause: failure,
        })
      try {
        await this.#sync(block)
      } catch (error) {
        failure = error
      }
      if (!this.#holds(block, hash)) await sleep(TRY_AGAIN_MS)
    }
  }

  #holds(block: number, hash: string | undefined): boolean {
    if (!this.#branch || this.#branch.tip.number < block) return false
    // Blocks below the branch's base are final and therefore canonical.
    return hash === undefined || (this.#branch.hashAt(block) ?? hash) === hash
  }

  // Measured from start to start, so that a slow chain is not polled less often.
  #schedule(delayMs: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      const began = performance.now()
      this.#sync()
        .catch((error: unknown) => this.#options.onFailure(error))
        .finally(() => {
          if (this.#branch) this.#options.snapshots?.consider(this.#branch)
          this.#schedule(Math.max(0, this.#options.pollMs - (performance.now() - began)))
        })
    }, delayMs)
  }

  // Single-flight: a caller that arrives during a poll joins it.
  #sync(expected?: number): Promise<void> {
    this.#syncing ??= this.#look(expected).finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #look(expected?: number): Promise<void> {
    const askedAt = this.#options.now()
    try {
      this.#reading ??= await this.#begin()
      let isFresh: boolean
      try {
        isFresh = await follow(this.#reading, this.#reader, this.#finality, expected)
      } catch (error) {
        if (!(error instanceof BranchGone) && !(error instanceof EventsMissing)) throw error
        this.#options.onFailure(error)
        // The served branch stays unchanged in the meantime and ages: it must not pass for fresh.
        this.#reading = undefined
        this.#reading = await this.#begin(error instanceof BranchGone)
        isFresh = await follow(this.#reading, this.#reader, this.#finality)
      }
      const served = this.#branch?.tip.number ?? -1
      if (!isFresh || this.#reading.tip.number < served) return
      this.#branch = this.#reading
      this.#syncedAt = askedAt
    } catch (error) {
      throw new ChainUnavailable('the chain could not be read', { cause: error })
    }
  }

  /** Returns a starting branch: the snapshot if its block is still canonical, otherwise the contract's first block. */
  async #begin(fromSnapshot = true): Promise<Branch> {
    await this.#reader.requireContract()
    const found = fromSnapshot ? await this.#options.snapshots?.read() : undefined
    if (found && (await this.#isCanonical(found.block)))
      return new Branch(found.block, found.state, this.#finality)
    const before = this.#options.chain.contractBlock - 1
    return new Branch({ number: before }, new AccountsState(), this.#finality)
  }

  async #isCanonical({ number, hash }: BlockId): Promise<boolean> {
    try {
      return (await this.#reader.header(number)).hash === hash
    } catch (error) {
      if (error instanceof UnusableAnswer) return false
      throw error
    }
  }
}
