import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_FINALITY_DEFAULT, MIRROR_STALE_MS } from '../../shared/limits.ts'
import { Branch } from './mirror/branch.ts'
import { DeepReorgError } from './mirror/catch-up.ts'
import { type ContractChain, ContractUnavailableError } from './chain.ts'
import { AgreedReads } from './mirror/agreed-reads.ts'
import { MissingEventsError } from './mirror/apply-event.ts'
import { followHead } from './mirror/follow-head.ts'
import type { SnapshotScheduler } from './mirror/snapshot-scheduler.ts'
import { AccountsState } from './state.ts'

export type MirrorOptions = {
  chain: ContractChain
  pollMs: number
  /** Returns milliseconds of any clock, because only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
  /** Number of later blocks after which a block counts as final. */
  finality?: number
  /** Stores snapshots from which the next start resumes. If omitted, the next start reads all events again. */
  snapshots?: SnapshotScheduler
}

/** Maximum attempts for the first poll, which may fail because a node behind a load balancer lags slightly. */
const START_ATTEMPTS = 3
const RETRY_MS = 25

/** Maximum wait for the block of a write. Exceeds the lag between nodes behind a load balancer. */
const SYNC_WAIT_MS = 15_000

/**
 * In-memory copy of the contract's accounts at one block. Reads make no RPC request. They fail if the last successful
 * poll is older than `MIRROR_STALE_MS`.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  readonly #reads: AgreedReads
  readonly #finality: number
  /** Branch from which reads are served. Undefined before the first successful poll. */
  #branch: Branch | undefined
  /** Branch that polls advance: the branch that serves reads, or its replacement. */
  #reading: Branch | undefined
  #syncedAt = Number.NEGATIVE_INFINITY
  #syncing: Promise<void> | undefined
  #guard: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#reads = new AgreedReads(options.chain)
    this.#finality = options.finality ?? CHAIN_FINALITY_DEFAULT
  }

  /** @throws {ContractUnavailableError} */
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

  /** Stops polling, and stores a snapshot of the state for the next start. */
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

  /** Number of the last applied block, or -1 before the first successful poll. */
  get block(): number {
    return this.#branch?.tip.number ?? -1
  }

  /** Milliseconds since the last successful poll, or Infinity before the first one. */
  get ageMs(): number {
    return this.#options.now() - this.#syncedAt
  }

  get lagBlocks(): number {
    return Math.max(0, this.#reads.highestHead - this.block)
  }

  /** Number of mirrored accounts, which is available even if the state is stale. */
  get accounts(): number {
    return this.#branch?.state.size ?? 0
  }

  /** @param guard throws if the state must not be used */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /**
   * @param hash expected block hash, if known; while the mirror has a different block at this height, polling continues
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
    // The branch does not store the hashes of blocks below its base. These blocks are final, so they are canonical.
    return hash === undefined || (this.#branch.hashAt(block) ?? hash) === hash
  }

  // The poll interval is measured from the start of a poll, so that a slow node is not polled less often.
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
        isFresh = await followHead(this.#reading, this.#reads, this.#finality, expected)
      } catch (error) {
        if (!(error instanceof DeepReorgError) && !(error instanceof MissingEventsError))
          throw error
        this.#options.onFailure(error)
        // Until the new branch has caught up, reads are served from the old branch, which becomes stale because it is
        // no longer updated.
        this.#reading = undefined
        this.#reading = await this.#openBranch(error instanceof DeepReorgError)
        isFresh = await followHead(this.#reading, this.#reads, this.#finality)
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
   * Opens a branch at the block of the snapshot if that block is still canonical. Otherwise, opens an empty branch
   * before the contract's first block.
   */
  async #openBranch(fromSnapshot = true): Promise<Branch> {
    await this.#reads.requireContract()
    const found = fromSnapshot ? await this.#options.snapshots?.read() : undefined
    if (found && (await this.#reads.hashAt(found.block.number)) === found.block.hash)
      return new Branch(found.block, found.state, this.#finality)
    const before = this.#options.chain.contractBlock - 1
    return new Branch({ number: before }, new AccountsState(), this.#finality)
  }
}
