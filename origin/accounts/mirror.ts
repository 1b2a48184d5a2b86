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
  /** Interval between the starts of two polls, in milliseconds. */
  pollMs: number
  /** Returns a time in milliseconds. Only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Number of later blocks that make a block final. */
  finality?: number
  /** Snapshots from which the next start resumes. If omitted, the next start reads all events again. */
  snapshots?: SnapshotKeeper
}

/** Maximum number of attempts for the first poll. A node behind a load balancer may lag slightly. */
const START_TRIES = 3
const TRY_AGAIN_MS = 25

/** Maximum time to wait for the block of a write. It is longer than the lag between nodes behind a load balancer. */
const SYNC_WAIT_MS = 15_000

/**
 * In-memory copy of the contract's accounts at one block. Reads need no RPC request. They return state that is at most
 * `MIRROR_STALE_MS` old, or fail.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  readonly #reader: ChainReader
  readonly #finality: number
  /** Branch from which reads are served. Undefined before the first successful poll. */
  #branch: Branch | undefined
  /** Branch that is being advanced: the served branch, or the branch that will replace it. */
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

  /**
   * Reads the chain up to its head, and then starts to poll.
   * @throws {ChainUnavailable}
   */
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

  /** Stops polling, and stores the state for the next start. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#syncing?.catch(() => {})
    await this.#options.snapshots?.close(this.#branch)
  }

  /**
   * Returns the accounts at the block that the mirror has reached.
   * @throws {ChainUnavailable} if the last successful poll is too old
   */
  current(): AccountsState {
    if (!this.#branch || this.#options.now() - this.#syncedAt > MIRROR_STALE_MS)
      throw new ChainUnavailable(
        'no response from its nodes for longer than permissions may be cached',
      )
    this.#guard?.()
    return this.#branch.state
  }

  /** Number of the block that the state corresponds to, or -1 before the first poll. */
  get block(): number {
    return this.#branch?.tip.number ?? -1
  }

  /**
   * Milliseconds since the mirror was last known to be at the head of the chain. Infinity before the first successful
   * poll.
   */
  get ageMs(): number {
    return this.#options.now() - this.#syncedAt
  }

  /** Number of blocks by which the state is behind the highest head that a node has reported. */
  get lagBlocks(): number {
    return Math.max(0, this.#reader.headSeen - this.block)
  }

  /** Number of accounts in the mirror, even if the state is stale. */
  get accounts(): number {
    return this.#branch?.state.size ?? 0
  }

  /**
   * Registers a check that `current` performs before each read.
   * @param guard throws if the state must not be used
   */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /**
   * Waits until the mirror has applied the given block.
   * @param hash hash of the block, if known. While the mirror has a different block at this height, it continues to
   * poll.
   * @throws {ChainUnavailable} if the node does not return the block in time
   */
  async syncTo(block: number, hash?: string): Promise<void> {
    const deadline = this.#options.now() + SYNC_WAIT_MS
    let failure: unknown
    while (!this.#holds(block, hash)) {
      if (this.#options.now() > deadline)
        throw new ChainUnavailable(`its node no longer returns block ${block}`, {
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
    // Blocks below the branch's base are final, so they are canonical.
    return hash === undefined || (this.#branch.hashAt(block) ?? hash) === hash
  }

  // Schedules the next poll. The interval is measured from the start of a poll, so that a slow node is not polled less
  // often.
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

  // Single-flight: if a poll is in progress, waits for it.
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
        // Until the new branch has caught up, reads are served from the unchanged old branch, which must be treated as
        // stale.
        this.#reading = undefined
        this.#reading = await this.#begin(error instanceof BranchGone)
        isFresh = await follow(this.#reading, this.#reader, this.#finality)
      }
      const served = this.#branch?.tip.number ?? -1
      if (!isFresh || this.#reading.tip.number < served) return
      this.#branch = this.#reading
      this.#syncedAt = askedAt
    } catch (error) {
      throw new ChainUnavailable('its nodes could not be read', { cause: error })
    }
  }

  /**
   * Returns the branch to start from: the snapshot if its block is still canonical, or else an empty state before the
   * contract's first block.
   */
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
