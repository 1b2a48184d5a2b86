import { toQuantity } from 'ethers'
import { PeriodicTask } from '../accounts/writer/periodic-task.ts'
import type { Rpc } from './simulation.ts'

export type Head = {
  number: number
  hash: string
  parentHash: string
  baseFee: bigint
  gasLimit: bigint
  /** Hashes of the block's transactions. */
  transactions: readonly string[]
}

export type HeadChange = {
  head: Head
  /** True if there may be blocks between this head and the last one. */
  isSkipping: boolean
  /** Highest known block that a reorganization left in place. Undefined if the last head is still in the chain. */
  forkedAbove: number | undefined
}

/** What the followers of a chain wait for. */
export type Demand = {
  /** Wallets with transactions that wait for a block. */
  unminedLanes: number
  /** True if transactions wait for their blocks to become final. */
  hasMined: boolean
}

/** Shortest interval between polls while transactions wait for a block. Each wallet may send requests at each new head. */
const POLL_MIN_MS = 50
const POLL_MIN_PER_LANE_MS = 10
/** Polls per block, on average, which limits the delay until a block is noticed. */
const POLLS_PER_BLOCK = 10
const MEAN_WEIGHT = 0.2

/** Interval at which a head is read again while its number does not change, because it may have been replaced. */
const RECHECK_MS = 1_000

/** Time for which a head must stay below an earlier one before it counts as a reorganization, not as a lagging node. */
const LOWER_HEAD_MS = 3_000

/** Known heads. Reorganizations deeper than these are treated as if they had replaced every block. */
const HEADS_MAX = 512

type HeadTrackerOptions = {
  provider: Rpc
  /** Longest interval between polls. */
  pollMs: number
  monotonic: () => number
  demand: () => Demand
  onChange: (change: HeadChange) => void
  /** Called for the first of several polls in a row that fail. */
  onFailure: (error: unknown) => void
}

/**
 * Follows the head of a chain by number, hash and parent, as long as there is demand. Each accepted head is a descendant
 * of the accepted heads before it, unless a reorganization is reported.
 */
export class HeadTracker {
  readonly #options: HeadTrackerOptions
  readonly #task: PeriodicTask
  /** Hashes of accepted heads by number, which are ancestors of the head. */
  readonly #known = new Map<number, string>()
  #head: Head | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  #meanBlockMs = 0
  #lowerSince: number | undefined
  #reading: Promise<void> | undefined
  #isStarted = false
  /** True if the latest poll has failed. */
  #isFailing = false
  /** Demand for which the current interval was chosen. */
  #followed: Urgency = 'none'

  constructor(options: HeadTrackerOptions) {
    this.#options = options
    this.#task = new PeriodicTask(
      () => this.#intervalMs(),
      () => this.#poll(),
    )
  }

  /** Latest accepted head. Undefined before the first poll. */
  get head(): Head | undefined {
    return this.#head
  }

  /** Polls at once. */
  wake(): void {
    if (this.#isStarted) return this.#task.runNow()
    this.#isStarted = true
    this.#task.start()
  }

  /** Must be called when the demand may have become more urgent. */
  follow(): void {
    const wanted = urgencyOf(this.#options.demand())
    if (wanted !== 'none' && wanted !== this.#followed) this.wake()
  }

  close(): Promise<void> {
    return this.#task.close()
  }

  /**
   * Returns a head that was read at most `maxAgeMs` ago.
   * @throws if the nodes do not respond
   */
  async current(maxAgeMs: number): Promise<Head> {
    const { monotonic } = this.#options
    if (!this.#head || monotonic() - this.#readAt > maxAgeMs) await this.read()
    if (!this.#head) throw new Error('the nodes have no block')
    return this.#head
  }

  /**
   * Reads the head now. Concurrent calls share a read.
   * @throws if the nodes do not respond
   */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  /**
   * Returns the hashes of blocks in the current chain. A block's header also contains the hash of its parent, so
   * consecutive blocks need half as many requests.
   * @throws if the nodes do not respond
   */
  async canonicalHashes(numbers: readonly number[]): Promise<Map<number, string>> {
    const hashes = new Map<number, string>()
    const missing: number[] = []
    for (const number of new Set(numbers.toSorted((a, b) => b - a))) {
      const known = this.#known.get(number)
      if (known !== undefined) hashes.set(number, known)
      else if (missing.at(-1) !== number + 1) missing.push(number)
    }
    const headers = await Promise.all(missing.map((number) => this.#header(number)))
    for (const header of headers) {
      if (!header) continue
      hashes.set(header.number, header.hash)
      hashes.set(header.number - 1, header.parentHash)
    }
    return hashes
  }

  async #poll(): Promise<void> {
    if (urgencyOf(this.#options.demand()) === 'none') return
    try {
      await this.read()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#options.onFailure(error)
      this.#isFailing = true
    }
  }

  #intervalMs(): number {
    const { demand, pollMs } = this.#options
    const wanted = demand()
    this.#followed = urgencyOf(wanted)
    // Without demand, the task only waits until it is woken.
    if (this.#followed === 'none') return IDLE_MS
    if (this.#followed === 'final' || this.#isFailing) return pollMs
    const least = POLL_MIN_MS + POLL_MIN_PER_LANE_MS * wanted.unminedLanes
    return Math.min(pollMs, Math.max(least, this.#meanBlockMs / POLLS_PER_BLOCK))
  }

  async #read(): Promise<void> {
    const { provider, monotonic } = this.#options
    const at = monotonic()
    const number = Number(BigInt(await provider.send('eth_blockNumber', [])))
    const last = this.#head
    if (last?.number === number && at - this.#readAt < RECHECK_MS) return
    const isFar = last !== undefined && number > last.number + 1
    const [head, lastAgain] = await Promise.all([
      this.#header(number),
      isFar ? this.#header(last.number) : undefined,
    ])
    // A node behind a load balancer may not have the block yet. The next poll reads it.
    if (!head || (isFar && !lastAgain)) return
    if (!last) return this.#accept(head, at, { isSkipping: true })
    if (number < last.number) return this.#readLower(head, at)
    this.#lowerSince = undefined
    if (number === last.number && head.hash === last.hash) {
      this.#readAt = at
      return
    }
    const isNext = number === last.number + 1 && head.parentHash === last.hash
    if (isNext) this.#accept(head, at, { isSkipping: false })
    else if (isFar && lastAgain?.hash === last.hash) this.#accept(head, at, { isSkipping: true })
    else await this.#reorganize(head, at)
  }

  /** The node lags, or the chain has become shorter. */
  async #readLower(head: Head, at: number): Promise<void> {
    const known = this.#known.get(head.number)
    const isOtherBranch = known !== undefined && known !== head.hash
    this.#lowerSince ??= at
    if (isOtherBranch || at - this.#lowerSince >= LOWER_HEAD_MS) await this.#reorganize(head, at)
  }

  async #reorganize(head: Head, at: number): Promise<void> {
    const fork = await this.#findFork(head.number)
    for (const number of this.#known.keys()) if (number > fork) this.#known.delete(number)
    this.#lowerSince = undefined
    this.#accept(head, at, { isSkipping: true, forkedAbove: fork })
  }

  /** Compares known heads with the chain, at distances that double, so the result may be lower than the fork. */
  async #findFork(highest: number): Promise<number> {
    const numbers = [...this.#known.keys()].filter((number) => number < highest).toReversed()
    for (let at = 0; at < numbers.length; at = 2 * at + 1) {
      const number = numbers[at]!
      const header = await this.#header(number)
      if (header?.hash === this.#known.get(number)) return number
    }
    return -1
  }

  #accept(
    head: Head,
    at: number,
    change: { isSkipping: boolean; forkedAbove?: number | undefined },
  ): void {
    const last = this.#head
    if (last && head.number > last.number) {
      const mean = (at - this.#changedAt) / (head.number - last.number)
      this.#meanBlockMs += MEAN_WEIGHT * (mean - this.#meanBlockMs)
    }
    this.#head = head
    this.#readAt = at
    this.#changedAt = at
    this.#known.set(head.number, head.hash)
    for (const number of this.#known.keys()) {
      if (this.#known.size <= HEADS_MAX) break
      this.#known.delete(number)
    }
    this.#options.onChange({ head, forkedAbove: undefined, ...change })
  }

  async #header(number: number): Promise<Head | undefined> {
    const block = await this.#options.provider.send('eth_getBlockByNumber', [
      toQuantity(number),
      false,
    ])
    return block === null || block === undefined ? undefined : parseHead(block)
  }
}

type Urgency = 'none' | 'final' | 'block'

function urgencyOf({ unminedLanes, hasMined }: Demand): Urgency {
  if (unminedLanes > 0) return 'block'
  return hasMined ? 'final' : 'none'
}

const IDLE_MS = 60_000

/** @throws {Error} if the chain does not support EIP-1559 */
function parseHead(block: Record<string, unknown>): Head {
  const { number, hash, parentHash, baseFeePerGas, gasLimit, transactions } = block
  if (typeof baseFeePerGas !== 'string') throw new Error('the chain has no base fee (EIP-1559)')
  return {
    number: Number(BigInt(number as string)),
    hash: String(hash).toLowerCase(),
    parentHash: String(parentHash).toLowerCase(),
    baseFee: BigInt(baseFeePerGas),
    gasLimit: BigInt(gasLimit as string),
    transactions: Array.isArray(transactions) ? (transactions as string[]) : [],
  }
}
