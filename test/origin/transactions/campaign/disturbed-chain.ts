/** An anvil chain whose blocks and reorganizations the test decides. */
import { setTimeout as sleep } from 'node:timers/promises'
import { JsonRpcProvider, Transaction, Wallet } from 'ethers'
import { type FaultyRpc, startFaultyRpc } from '../../../doubles/faulty-rpc/faulty-rpc.ts'
import type { RpcFaults } from '../../../doubles/faulty-rpc/rpc-faults.ts'
import { fundedKey, startChain } from '../../chain.ts'
import type { Random } from '../../credits/simulation/random.ts'

/** Deepest reorganization, and number of blocks after which a block is final. */
export const FINALITY = 64

const FUNDS = 10n ** 20n

/** Processes check deadlines every second. */
const IDLE_MS = 2_500
/** Polled while transactions wait for a block. */
const HEAD = 'eth_blockNumber'
const is = (wanted: string) => (method: string) => method === wanted

export type MinedTransaction = {
  hash: string
  from: string
  to: string
  nonce: number
  data: string
  value: bigint
  block: number
  blockHash: string
}

export class DisturbedChain {
  readonly provider: JsonRpcProvider
  readonly rpcs: readonly FaultyRpc[]
  readonly #random: Random
  readonly #close: () => Promise<void>
  /** Signed bytes of foreign transactions, by hash. */
  readonly #foreign = new Map<string, string>()
  readonly #senders = new Map<string, { from: string; nonce: number }>()
  #changes: Promise<unknown> = Promise.resolve()
  readonly counts = { blocks: 0, reorganizations: 0, removed: 0, 'max depth': 0 }

  private constructor(
    provider: JsonRpcProvider,
    rpcs: readonly FaultyRpc[],
    random: Random,
    close: () => Promise<void>,
  ) {
    this.provider = provider
    this.rpcs = rpcs
    this.#random = random
    this.#close = close
  }

  /** @param nodes number of RPC endpoints, all of them in front of the same node */
  static async start(nodes: number, random: Random): Promise<DisturbedChain> {
    const chain = await startChain(['--no-mining'])
    const provider = new JsonRpcProvider(chain.rpcUrl, undefined, {
      cacheTimeout: -1,
      batchMaxCount: 1,
      staticNetwork: true,
    })
    const rpcs = await Promise.all(
      Array.from({ length: nodes }, () => startFaultyRpc(chain.rpcUrl, random.stream())),
    )
    return new DisturbedChain(provider, rpcs, random, async () => {
      provider.destroy()
      await Promise.all(rpcs.map((rpc) => rpc.close()))
      await chain.close()
    })
  }

  get urls(): string[] {
    return this.rpcs.map(({ url }) => url)
  }

  set faults(faults: RpcFaults) {
    for (const rpc of this.rpcs) rpc.faults = faults
  }

  /** Funds wallets by transactions, below the deepest reorganization. */
  async fund(addresses: readonly string[]): Promise<void> {
    const payer = new Wallet(fundedKey(0), this.provider)
    for (const [nonce, to] of addresses.entries())
      await payer.sendTransaction({ to, value: FUNDS, nonce, gasLimit: 21_000 })
    await this.mine(FINALITY + 1)
  }

  async mine(blocks = 1): Promise<void> {
    this.counts.blocks += blocks
    await this.#alone(() => this.provider.send('anvil_mine', [`0x${blocks.toString(16)}`]))
  }

  /** Changes the chain when no other change is in progress. anvil loses a block that it mines during a reorganization. */
  #alone<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changes.then(change)
    this.#changes = changed.catch(() => {})
    return changed
  }

  /**
   * Resolves when the processes have sent several requests, so that they have seen the chain as it is now, or if they do
   * not send any.
   * @param method of these requests
   */
  async settled(method = HEAD, times = 3): Promise<void> {
    const sent = () => this.rpcs.map((rpc) => rpc.seen().methods.filter(is(method)).length)
    const before = sent()
    const until = performance.now() + IDLE_MS
    while (
      performance.now() < until &&
      !sent().every((count, node) => count >= before[node]! + times)
    )
      await sleep(10)
  }

  height(): Promise<number> {
    return this.provider.getBlockNumber()
  }

  /** Sends a transaction that no process of the service has signed. */
  async sendForeign(raw: string): Promise<void> {
    this.#foreign.set(Transaction.from(raw).hash!, raw)
    await this.#resend(raw)
  }

  isForeign(hash: string): boolean {
    return this.#foreign.has(hash)
  }

  /**
   * Replaces the latest blocks by as many others. Of the transactions in the removed blocks, the others contain all, none
   * or a part, in some cases with an earlier attempt in place of a later one. The rest returns to the pool or is lost.
   */
  reorganize(depth: number): Promise<void> {
    return this.#alone(() => this.#reorganize(depth))
  }

  async #reorganize(depth: number): Promise<void> {
    const random = this.#random
    const head = await this.height()
    const removed = await this.#rawTransactions(head - depth + 1, head)
    this.counts.reorganizations++
    this.counts.removed += removed.length
    this.counts['max depth'] = Math.max(this.counts['max depth'], depth)

    const share = random.pick([0, 0.5, 0.9, 1])
    const kept: [raw: string, block: number][] = []
    const left: string[] = []
    const isCut = new Set<string>()
    const blockOf = new Map<string, number>()
    for (const raw of removed) {
      const { from } = this.#senderOf(raw)
      // A transaction cannot be mined without the earlier ones of its sender.
      if (isCut.has(from) || !random.chance(share)) {
        isCut.add(from)
        left.push(raw)
        continue
      }
      const block = random.integer(blockOf.get(from) ?? 0, depth - 1)
      blockOf.set(from, block)
      kept.push([random.chance(0.2) ? this.#otherAttempt(raw) : raw, block])
    }
    await this.provider.send('anvil_reorg', [depth, kept])
    if (random.chance(0.5)) for (const raw of left) await this.#resend(raw)
  }

  /**
   * Returns all mined transactions of some wallets, by their order on the chain.
   * @param addresses in lower case
   */
  async minedBy(addresses: readonly string[]): Promise<MinedTransaction[]> {
    const wanted = new Set(addresses)
    const found: MinedTransaction[] = []
    for (const block of await this.#blocks(0, await this.height()))
      for (const { hash, from, to, nonce, input, value } of block.transactions)
        if (wanted.has(from))
          found.push({
            hash,
            from,
            to,
            nonce: Number(nonce),
            data: input,
            value: BigInt(value),
            block: Number(block.number),
            blockHash: block.hash,
          })
    return found
  }

  nonceOf(address: string, tag: 'latest' | 'pending' = 'latest'): Promise<number> {
    return this.provider.getTransactionCount(address, tag)
  }

  /** Number of injected faults, by kind, and of disturbances of the chain. */
  figures(): Record<string, number> {
    const total: Record<string, number> = {}
    for (const { counts } of this.rpcs)
      for (const [kind, count] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + count
    return { ...this.counts, 'RPC faults': Object.values(total).reduce((a, b) => a + b, 0) }
  }

  async close(): Promise<void> {
    await this.#close()
  }

  async #resend(raw: string): Promise<void> {
    // The pool rejects what it has, what is mined and what has been replaced.
    await this.provider.send('eth_sendRawTransaction', [raw]).catch(() => {})
  }

  #rawOf(hash: string): string | undefined {
    for (const { broadcasts } of this.rpcs) if (broadcasts.has(hash)) return broadcasts.get(hash)
    return this.#foreign.get(hash)
  }

  /** Returns another signed transaction with the same sender and nonce, if a node has seen one. */
  #otherAttempt(raw: string): string {
    const { from, nonce } = this.#senderOf(raw)
    const others = this.rpcs
      .flatMap(({ broadcasts }) => [...broadcasts.values()])
      .filter((other) => {
        const sender = this.#senderOf(other)
        return sender.from === from && sender.nonce === nonce
      })
    return this.#random.pick([raw, ...others])
  }

  /** Cached, because the recovery of a sender takes a millisecond. */
  #senderOf(raw: string): { from: string; nonce: number } {
    const known = this.#senders.get(raw)
    if (known) return known
    const { from, nonce } = Transaction.from(raw)
    const sender = { from: from!, nonce }
    this.#senders.set(raw, sender)
    return sender
  }

  async #rawTransactions(first: number, last: number): Promise<string[]> {
    const blocks = await this.#blocks(first, last)
    return blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ hash }) => this.#rawOf(hash) ?? []),
    )
  }

  #blocks(first: number, last: number): Promise<RpcBlock[]> {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return Promise.all(
      numbers.map(
        (number) =>
          this.provider.send('eth_getBlockByNumber', [
            `0x${number.toString(16)}`,
            true,
          ]) as Promise<RpcBlock>,
      ),
    )
  }
}

type RpcBlock = {
  number: string
  hash: string
  transactions: {
    hash: string
    from: string
    to: string
    nonce: string
    input: string
    value: string
  }[]
}
