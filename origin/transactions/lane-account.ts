import { formatEther, toQuantity } from 'ethers'
import type { LaneContext } from './lane-context.ts'
import type { LaneId } from './lane-leases.ts'
import type { LiveTransaction } from './live-transaction.ts'
import type { FeeDefaults } from './store.ts'

const DEFAULTS_MAX_AGE_MS = 5_000

type AccountState = { count: number; balance: bigint; at: number }

/** Transaction count and balance of a wallet on its chain, and the defaults of the account that it belongs to. */
export class LaneAccount {
  readonly #lane: LaneId
  readonly #context: LaneContext
  #latest: AccountState | undefined
  #defaults: { value: FeeDefaults | undefined; at: number } | undefined
  #isLow = false
  /** Time of the last read, in `monotonic()` milliseconds. */
  readAt = Number.NEGATIVE_INFINITY

  constructor(lane: LaneId, context: LaneContext) {
    this.#lane = lane
    this.#context = context
  }

  /** Next nonce on the chain, as far as it is known. Undefined if it must be read again. */
  get count(): number | undefined {
    return this.#latest?.count
  }

  /** True if the balance was below the threshold of the account when it was last read. */
  get isLow(): boolean {
    return this.#isLow
  }

  /** The count may be lower after a reorganization. */
  forget(): void {
    this.#latest = undefined
  }

  /**
   * Reads the transaction count and the balance, unless they were read recently.
   * @param ownCount lowest nonce above those of the lane's transactions
   * @throws if the nodes or the database do not respond
   */
  async read(maxAgeMs: number, ownCount: number, accountHash: string): Promise<AccountState> {
    const { chain, monotonic, log, store } = this.#context
    const at = monotonic()
    const before = this.#latest
    if (before && at - before.at <= maxAgeMs) return before
    const { address } = this.#lane
    const [first, wei] = await Promise.all([
      this.readCount('latest'),
      chain.provider.send('eth_getBalance', [address, 'latest']),
    ])
    let count = first
    const expected = before && Math.max(before.count, ownCount)
    if (expected !== undefined && count > expected) {
      // A node that lies once must not cause a gap.
      count = Math.min(count, await this.readCount('latest'))
      const facts = { chain: chain.name, address, nonces: count - expected }
      if (count > expected) log('transactions.foreign_nonce', facts)
    }
    const balance = BigInt(wei)
    await this.#warnIfLow(balance, accountHash)
    if (before?.balance !== balance) store.recordBalance(this.#lane, balance).catch(() => {})
    this.#latest = { count, balance, at }
    this.readAt = at
    return this.#latest
  }

  /** @param block number of a block, or a tag */
  async readCount(block: number | 'latest' | 'pending'): Promise<number> {
    const { provider } = this.#context.chain
    const tag = typeof block === 'number' ? toQuantity(block) : block
    return Number(await provider.send('eth_getTransactionCount', [this.#lane.address, tag]))
  }

  /** Applies a mined transaction without a request. */
  spend(nonce: number, wei: bigint): void {
    if (!this.#latest || nonce < this.#latest.count) return
    const { balance, at } = this.#latest
    this.#latest = { count: nonce + 1, balance: balance - wei, at }
  }

  /** Returns the highest `maxFeePerGas`, by the request and by the account. Undefined without a limit. */
  async ceiling({ row }: LiveTransaction): Promise<bigint | undefined> {
    const limit = (await this.#readDefaults(row.accountHash))?.maxFeePerGas ?? undefined
    const own = row.maxFeePerGas ?? undefined
    if (own === undefined || limit === undefined) return own ?? limit
    return own < limit ? own : limit
  }

  async #warnIfLow(balance: bigint, accountHash: string): Promise<void> {
    const { log, chain } = this.#context
    const threshold = (await this.#readDefaults(accountHash))?.lowBalance ?? undefined
    const isLow = threshold !== undefined && balance < threshold
    if (isLow && !this.#isLow) {
      const { address } = this.#lane
      log('transactions.low_balance', { chain: chain.name, address, ether: formatEther(balance) })
    }
    this.#isLow = isLow
  }

  /** All transactions of a wallet belong to one account, because its key is derived from the account. */
  async #readDefaults(accountHash: string): Promise<FeeDefaults | undefined> {
    const { store, monotonic } = this.#context
    const at = monotonic()
    if (!this.#defaults || at - this.#defaults.at > DEFAULTS_MAX_AGE_MS)
      this.#defaults = { value: await store.defaults(accountHash, this.#lane.chainId), at }
    return this.#defaults.value
  }
}
