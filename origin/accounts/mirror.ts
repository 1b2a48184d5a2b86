import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_FINALITY_DEFAULT, MIRROR_STALE_MS } from '../../shared/limits.ts'
import { Branch } from './mirror/branch.ts'
import { DeepReorgError } from './mirror/catch-up.ts'
import { type ContractChain, ContractUnavailableError } from './chain.ts'
import {
  type BlockId,
  AccountConfigReader,
  UnusableResponseError,
} from './mirror/account-config-reader.ts'
import { MissingEventsError } from './mirror/apply-event.ts'
import { followHead } from './mirror/follow-head.ts'
import type { SnapshotScheduler } from './mirror/snapshot-scheduler.ts'
import { AccountsState } from './state.ts'

export type MirrorOptions = {
  chain: ContractChain
  pollMs: number
  /** Milliseconds, of which only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Later blocks that make a block final. */
  finality?: number
  /** The next start resumes from a snapshot. If omitted, it reads all events again. */
  snapshots?: SnapshotScheduler
}

/** Attempts for the first poll. A node behind a load balancer may lag slightly. */
const START_ATTEMPTS = 3
const RETRY_MS = 25

/** Limit for waiting on a write's block. Longer than the lag between nodes behind a load balancer. */
const SYNC_WAIT_MS = 15_000

/**
 * In-memory copy of the contract's accounts at one block. Reads need no RPC request. They return state that is at most
 * `MIRROR_STALE_MS` old, or fail.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  readonly #reader: AccountConfigReader
  readonly #finality: number
  /** Serves reads. Undefined before the first successful poll. */
  #branch: Branch | undefined
  /** The branch being advanced: the served one, or its replacement. */
  #reading: Branch | undefined
  #syncedAt = Number.NEGATIVE_INFINITY
  #syncing: Promise<void> | undefined
  #guard: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#reader = new AccountConfigReader(options.chain)
    this.#finality = options.finality ?? CHAIN_FINALITY_DEFAULT
  }

  /**
   * Reads up to the head of the chain, and then starts to poll.
   * @throws {ContractUnavailableError}
   */
  async start(): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        await this.#sync()
        break
      } catch (error) {
        if (tried === START_ATTEMPTS) throw error
        await sleep(RETRY_MS)
      }
    }
    this.#schedule(this.#options.pollMs)
  }

  /** Stores the state for the next start. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#syncing?.catch(() => {})
    await this.#options.snapshots?.close(this.#branch)
  }

  /** @throws {ContractUnavailableError} if the last successful poll is too old */
  current(): AccountsState {
    if (!this.#branch || this.#options.now() - this.#syncedAt > MIRROR_STALE_MS)
      throw new ContractUnavailableError(
        'no response from its nodes for longer than permissions may be cached',
      )
    this.#guard?.()
    return this.#branch.state
  }

  /** Block of the state, or -1 before the first poll. */
  get block(): number {
    return this.#branch?.tip.number ?? -1
  }

  /** Infinity before the first successful poll. */
  get ageMs(): number {
    return this.#options.now() - this.#syncedAt
  }

  /** Distance to the highest head that a node has reported. */
  get lagBlocks(): number {
    return Math.max(0, this.#reader.highestHead - this.block)
  }

  /** Counted even if the state is stale. */
  get accounts(): number {
    return this.#branch?.state.size ?? 0
  }

  /**
   * `current` calls the guard before each read.
   * @param guard throws if the state must not be used
   */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /**
   * Waits until the mirror has applied the block.
   * @param hash if known; while the mirror has a different block at this height, it continues to poll
   * @throws {ContractUnavailableError} if the node does not return the block in time
   */
  async syncTo(block: number, hash?: string): Promise<void> {
    const deadline = this.#options.now() + SYNC_WAIT_MS
    let failure: unknown
    while (!this.#hasApplied(block, hash)) {
      if (this.#options.now() > deadline)
        throw new ContractUnavailableError(`its node no longer returns block ${block}`, {
          cause: failure,
        })
      try {
        await this.#sync(block)
      } catch (error) {
        failure = error
      }
      if (!this.#hasApplied(block, hash)) await sleep(RETRY_MS)
    }
  }

  #hasApplied(block: number, hash: string | undefined): boolean {
    if (!this.#branch || this.#branch.tip.number < block) return false
    // Blocks below the branch's base are final, so they are canonical.
    return hash === undefined || (this.#branch.hashAt(block) ?? hash) === hash
  }

  // Measured from the start of a poll, so that a slow node is not polled less often.
  #schedule(delayMs: number): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      const began = performance.now()
      this.#sync()
        .catch((error: unknown) => this.#options.onFailure(error))
        .finally(() => {
          if (this.#branch) this.#options.snapshots?.writeIfDue(this.#branch)
          this.#schedule(Math.max(0, this.#options.pollMs - (performance.now() - began)))
        })
    }, delayMs)
  }

  #sync(expected?: number): Promise<void> {
    this.#syncing ??= this.#poll(expected).finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #poll(expected?: number): Promise<void> {
    const startedAt = this.#options.now()
    try {
      this.#reading ??= await this.#openBranch()
      let isFresh: boolean
      try {
        isFresh = await followHead(this.#reading, this.#reader, this.#finality, expected)
      } catch (error) {
        if (!(error instanceof DeepReorgError) && !(error instanceof MissingEventsError))
          throw error
        this.#options.onFailure(error)
        // Until the new branch has caught up, reads are served from the unchanged old branch, which counts as stale.
        this.#reading = undefined
        this.#reading = await this.#openBranch(error instanceof DeepReorgError)
        isFresh = await followHead(this.#reading, this.#reader, this.#finality)
      }
      const served = this.#branch?.tip.number ?? -1
      if (!isFresh || this.#reading.tip.number < served) return
      this.#branch = this.#reading
      this.#syncedAt = startedAt
    } catch (error) {
      throw new ContractUnavailableError('its nodes could not be read', { cause: error })
    }
  }

  /**
   * Starts from the snapshot if its block is still canonical, or else from an empty state before the contract's first
   * block.
   */
  async #openBranch(fromSnapshot = true): Promise<Branch> {
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
      if (error instanceof UnusableResponseError) return false
      throw error
    }
  }
}
