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
  /** Milliseconds from one look at the chain to the next. */
  pollMs: number
  /** Milliseconds; only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Blocks on top of one that make it final. */
  finality?: number
  /** Where the state is kept for the next start. */
  snapshots?: SnapshotKeeper
}

/** Looks that may fail before a start does: a node behind a load balancer may be a little behind. */
const START_TRIES = 3
const TRY_AGAIN_MS = 25

/** How long a write's answer waits for its block: longer than a load balancer's nodes lag behind each other. */
const SYNC_WAIT_MS = 15_000

/**
 * The contract's accounts in memory, pinned to a block. Reads cost a look-up and no RPC; what they see is at
 * most `MIRROR_STALE_MS` old, or they fail.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  readonly #reader: ChainReader
  readonly #finality: number
  /** What is served. */
  #branch: Branch | undefined
  /** What is brought forward: the branch that is served, or one that is read to take its place. */
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

  /** Reads the chain up to its head, then follows it. @throws {ChainUnavailable} */
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

  /** Stops looking, and keeps the state for the next start. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#syncing?.catch(() => {})
    await this.#options.snapshots?.close(this.#branch)
  }

  /** The accounts as of the pinned block. @throws {ChainUnavailable} when that is too long ago */
  current(): AccountsState {
    if (!this.#branch || this.#options.now() - this.#syncedAt > MIRROR_STALE_MS)
      throw new ChainUnavailable(
        'the chain has not answered for longer than permissions may be old',
      )
    this.#guard?.()
    return this.#branch.state
  }

  /** The number of the block that the state is of; -1 before the first. */
  get block(): number {
    return this.#branch?.tip.number ?? -1
  }

  /** Milliseconds since the chain last showed its head, or something as fresh; infinite before it first has. */
  get ageMs(): number {
    return this.#options.now() - this.#syncedAt
  }

  /** Blocks from the state's to the highest head that was seen. */
  get lagBlocks(): number {
    return Math.max(0, this.#reader.headSeen - this.block)
  }

  /** Accounts of the state, fresh or not. */
  get accounts(): number {
    return this.#branch?.state.size ?? 0
  }

  /** Has `current` ask before each answer. @param guard throws where the state must not be used */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /**
   * Returns once the given block is part of the state.
   * @param hash the block's, where it is known: a state that has another block at its height is brought forward
   * @throws {ChainUnavailable} when the chain does not show the block
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
    // Below what can be undone every block is final, and the chain's.
    return hash === undefined || (this.#branch.hashAt(block) ?? hash) === hash
  }

  /** From the beginning of one look to that of the next, so that a slow chain is looked at no less often. */
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

  /** One look at a time; who comes while one is under way waits for it. */
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
        // What is served stays as it is meanwhile, and grows old: it must not pass for fresh.
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

  /** A branch to read from: the snapshot's, where its block is still the chain's, or the contract's first block. */
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
