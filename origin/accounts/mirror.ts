import { MIRROR_STALE_MS } from '../../shared/limits.ts'
import { accountConfig, type Chain, ChainUnavailable } from './chain.ts'
import { type AccountEvent, AccountsState } from './state.ts'

export type MirrorOptions = {
  chain: Chain
  /** Milliseconds between two looks at the chain. */
  pollMs: number
  now: () => number
  onFailure(error: unknown): void
}

/**
 * The contract's accounts in memory, pinned to a block. Reads cost a look-up and no RPC; what they see is at
 * most `MIRROR_STALE_MS` old, or they fail.
 */
export class AccountsMirror {
  readonly #options: MirrorOptions
  #state = new AccountsState()
  /** The last block applied. Invariant: the state is that of this very block, not of another at its height. */
  #pinned: { number: number; hash: string } | undefined
  #syncedAt = Number.NEGATIVE_INFINITY
  #syncing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  /** Reads the chain up to its head, then follows it. @throws {ChainUnavailable} */
  async start(): Promise<void> {
    await this.#sync()
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** The accounts as of the pinned block. @throws {ChainUnavailable} when that is too long ago */
  current(): AccountsState {
    if (this.#options.now() - this.#syncedAt > MIRROR_STALE_MS)
      throw new ChainUnavailable(
        'the chain has not answered for longer than permissions may be old',
      )
    return this.#state
  }

  /** Returns once the given block is part of the state. @throws {ChainUnavailable} when the chain stays below it */
  async syncTo(block: number): Promise<void> {
    const deadline = this.#options.now() + MIRROR_STALE_MS
    while ((this.#pinned?.number ?? -1) < block) {
      if (this.#options.now() > deadline)
        throw new ChainUnavailable(`the chain does not show block ${block} again`)
      await this.#sync()
    }
  }

  #schedule(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#sync()
        .catch((error: unknown) => this.#options.onFailure(error))
        .finally(() => this.#schedule())
    }, this.#options.pollMs)
  }

  /** One look at a time; who comes while one is under way waits for it. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#readToHead().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #readToHead(): Promise<void> {
    try {
      const { provider } = this.#options.chain
      const pinned = this.#pinned
      const askedAt = this.#options.now()
      const [head, known] = await Promise.all([
        provider.getBlock('latest'),
        pinned ? provider.getBlock(pinned.number) : undefined,
      ])
      if (!head?.hash) throw new Error('the chain has no latest block')
      const kept = pinned !== undefined && known?.hash === pinned.hash
      if (kept && head.number < pinned.number) return // a node that lags behind the one asked before
      const from = kept ? pinned.number + 1 : this.#options.chain.contractBlock
      const state = kept ? this.#state : new AccountsState()
      // What was read before is of a chain that is gone: it must not pass for fresh.
      if (!kept && head.number < from) throw new Error('the chain ends before the contract')
      if (head.number >= from) {
        for (const event of await this.#events(from, head.number, head.hash)) state.apply(event)
        this.#pinned = { number: head.number, hash: head.hash }
        this.#state = state
      }
      this.#syncedAt = askedAt
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error
      throw new ChainUnavailable('the chain could not be read', { cause: error })
    }
  }

  async #events(from: number, to: number, headHash: string): Promise<AccountEvent[]> {
    const { provider, contractAddress } = this.#options.chain
    const logs = await provider.getLogs({ address: contractAddress, fromBlock: from, toBlock: to })
    const events: AccountEvent[] = []
    for (const log of logs) {
      if (log.blockNumber === to && log.blockHash !== headHash)
        throw new Error('the chain changed its head while its logs were read')
      const parsed = accountConfig.parseLog(log)
      if (parsed) events.push({ name: parsed.name, args: parsed.args.toObject(false) })
    }
    return events
  }
}
