import { id, Transaction } from 'ethers'
import type { Random } from '../../credits/simulation/random.ts'

/** The parts of an EIP-1559 transaction that the model uses. */
export type ModelTransaction = {
  hash: string
  raw: string
  /** In lower-case hex, like all addresses of the model. */
  from: string
  to: string
  nonce: number
  data: string
  value: bigint
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export type ModelReceipt = {
  transaction: ModelTransaction
  hasSucceeded: boolean
  gasUsed: bigint
  effectiveGasPrice: bigint
  index: number
}

type AccountState = { nonce: number; balance: bigint }

export type ModelBlock = {
  number: number
  hash: string
  parentHash: string
  timestamp: number
  baseFee: bigint
  receipts: ModelReceipt[]
  accounts: ReadonlyMap<string, AccountState>
}

/** Error response of a node. */
export class ModelRpcError extends Error {
  readonly code: number
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const GAS_USED = 21_000n
const BLOCK_TRANSACTIONS_MAX = 20
const NO_ACCOUNT: AccountState = { nonce: 0, balance: 0n }

/** Increase that the pool requires of a replacement, in percent. */
const BUMP_PERCENT = 10n

/** `Error("closed")`. */
export const REVERT_DATA =
  '0x08c379a000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000006636c6f7365640000000000000000000000000000000000000000000000000000'

/**
 * An Ethereum chain with a mempool. Transactions have no effects but their fee, their value and their nonce. Nothing
 * happens unless a method is called.
 */
export class ModelChain {
  readonly blocks: ModelBlock[]
  /** By sender and nonce. */
  readonly #pool = new Map<string, Map<number, ModelTransaction>>()
  /** Every transaction that a node has seen, by hash. */
  readonly seen = new Map<string, ModelTransaction>()
  readonly #random: Random
  /** Addresses whose code reverts every call at the moment. */
  readonly reverting = new Set<string>()
  /** Fee that the market asks for. Blocks move towards it. */
  marketBaseFee = 1_000_000_000n
  /** Probability that a block contains a transaction that it could contain. */
  inclusion = 0.9
  #forks = 0

  constructor(random: Random, timestamp: number, balances: ReadonlyMap<string, bigint>) {
    this.#random = random
    const accounts = new Map(
      [...balances].map(([address, balance]) => [address, { nonce: 0, balance }]),
    )
    const hash = id('genesis')
    this.blocks = [
      {
        number: 0,
        hash,
        parentHash: id('nothing'),
        timestamp,
        baseFee: 1_000_000_000n,
        receipts: [],
        accounts,
      },
    ]
  }

  get head(): ModelBlock {
    return this.blocks.at(-1)!
  }

  account(address: string, block = this.head): AccountState {
    return block.accounts.get(address) ?? NO_ACCOUNT
  }

  /** Number of transactions, including those in the pool that follow without a gap. */
  pendingNonce(address: string): number {
    let { nonce } = this.account(address)
    while (this.#pool.get(address)?.has(nonce)) nonce++
    return nonce
  }

  inPool(hash: string): boolean {
    const transaction = this.seen.get(hash)
    return (
      transaction !== undefined &&
      this.#pool.get(transaction.from)?.get(transaction.nonce)?.hash === hash
    )
  }

  receipt(hash: string): { receipt: ModelReceipt; block: ModelBlock } | undefined {
    for (const block of this.blocks) {
      const receipt = block.receipts.find(({ transaction }) => transaction.hash === hash)
      if (receipt) return { receipt, block }
    }
    return undefined
  }

  /** @throws {ModelRpcError} with the messages of geth */
  submit(raw: string): string {
    const transaction = this.#parse(raw)
    const { hash, from, nonce, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const { nonce: next, balance } = this.account(from)
    if (nonce < next)
      throw new ModelRpcError(-32_000, `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
    const pool = this.#pool.get(from) ?? new Map<number, ModelTransaction>()
    const other = pool.get(nonce)
    if (other?.hash === hash) throw new ModelRpcError(-32_000, 'already known')
    if (value + gasLimit * maxFeePerGas > balance)
      throw new ModelRpcError(-32_000, 'insufficient funds for gas * price + value')
    const isHigher = (fee: bigint, than: bigint) => fee * 100n >= than * (100n + BUMP_PERCENT)
    if (
      other &&
      !(
        isHigher(maxFeePerGas, other.maxFeePerGas) &&
        isHigher(maxPriorityFeePerGas, other.maxPriorityFeePerGas)
      )
    )
      throw new ModelRpcError(-32_000, 'replacement transaction underpriced')
    this.#pool.set(from, pool.set(nonce, transaction))
    return hash
  }

  /** Adds a block with transactions of the pool. */
  mine(timestamp: number): ModelBlock {
    const { head } = this
    const baseFee = nextBaseFee(head.baseFee, this.marketBaseFee)
    const accounts = new Map(head.accounts)
    const receipts = this.#select(baseFee, accounts).map((transaction, index) =>
      this.#execute(transaction, index, baseFee, accounts),
    )
    const number = head.number + 1
    const block = {
      number,
      hash: id(`block ${number} of fork ${this.#forks} after ${head.hash}`),
      parentHash: head.hash,
      timestamp: Math.max(timestamp, head.timestamp + 1),
      baseFee,
      receipts,
      accounts,
    }
    this.blocks.push(block)
    this.#prune()
    return block
  }

  /**
   * Replaces the latest blocks by as many others. Their transactions return to the pool, are lost, or are mined again,
   * in some cases as an earlier attempt.
   */
  reorganize(depth: number, timestamp: number): void {
    const random = this.#random
    const removed = this.blocks.splice(this.blocks.length - depth)
    this.#forks++
    const transactions = removed.flatMap(({ receipts }) => receipts.map((one) => one.transaction))
    const isLost = random.chance(0.3)
    for (const transaction of transactions) {
      const pool = this.#pool.get(transaction.from) ?? new Map<number, ModelTransaction>()
      if (!isLost && !pool.has(transaction.nonce))
        this.#pool.set(transaction.from, pool.set(transaction.nonce, this.#anyAttempt(transaction)))
    }
    const inclusion = this.inclusion
    this.inclusion = random.pick([0, 0.5, 0.9])
    for (const index of removed.keys()) this.mine(timestamp - (removed.length - index))
    this.inclusion = inclusion
  }

  /** Drops transactions from the pool, as nodes do when they restart or their pool is full. */
  forget(probability: number): void {
    for (const pool of this.#pool.values())
      for (const nonce of pool.keys()) if (this.#random.chance(probability)) pool.delete(nonce)
  }

  /** @throws {ModelRpcError} if the call would revert */
  requireSuccess({ from, to, value }: { from: string; to: string; value: bigint }): void {
    if (value > this.account(from).balance)
      throw new ModelRpcError(-32_000, 'insufficient funds for transfer')
    if (this.reverting.has(to))
      throw new ModelRpcError(3, 'execution reverted: closed', REVERT_DATA)
  }

  /** Returns any transaction with the same sender and nonce. */
  #anyAttempt(transaction: ModelTransaction): ModelTransaction {
    const { from, nonce } = transaction
    const same = [...this.seen.values()].filter((one) => one.from === from && one.nonce === nonce)
    return this.#random.chance(0.3) ? this.#random.pick(same) : transaction
  }

  #parse(raw: string): ModelTransaction {
    const parsed = Transaction.from(raw)
    const known = this.seen.get(parsed.hash!)
    if (known) return known
    const transaction: ModelTransaction = {
      hash: parsed.hash!,
      raw,
      from: parsed.from!.toLowerCase(),
      to: parsed.to!.toLowerCase(),
      nonce: parsed.nonce,
      data: parsed.data,
      value: parsed.value,
      gasLimit: parsed.gasLimit,
      maxFeePerGas: parsed.maxFeePerGas!,
      maxPriorityFeePerGas: parsed.maxPriorityFeePerGas!,
    }
    this.seen.set(transaction.hash, transaction)
    return transaction
  }

  #select(baseFee: bigint, accounts: ReadonlyMap<string, AccountState>): ModelTransaction[] {
    const selected: ModelTransaction[] = []
    const senders = [...this.#pool.keys()].toSorted()
    for (const from of senders) {
      const pool = this.#pool.get(from)!
      let { nonce, balance } = accounts.get(from) ?? NO_ACCOUNT
      for (let next = pool.get(nonce); next; next = pool.get(nonce)) {
        const cost = next.value + next.gasLimit * next.maxFeePerGas
        if (selected.length >= BLOCK_TRANSACTIONS_MAX || next.maxFeePerGas < baseFee) break
        if (cost > balance || !this.#random.chance(this.inclusion)) break
        selected.push(next)
        balance -= cost
        nonce++
      }
    }
    return selected
  }

  #execute(
    transaction: ModelTransaction,
    index: number,
    baseFee: bigint,
    accounts: Map<string, AccountState>,
  ): ModelReceipt {
    const { from, to, value, maxFeePerGas, maxPriorityFeePerGas, nonce } = transaction
    const most = baseFee + maxPriorityFeePerGas
    const effectiveGasPrice = most < maxFeePerGas ? most : maxFeePerGas
    const hasSucceeded = !this.reverting.has(to)
    const sender = accounts.get(from) ?? NO_ACCOUNT
    const paid = GAS_USED * effectiveGasPrice + (hasSucceeded ? value : 0n)
    accounts.set(from, { nonce: nonce + 1, balance: sender.balance - paid })
    if (hasSucceeded) {
      const receiver = accounts.get(to) ?? NO_ACCOUNT
      accounts.set(to, { ...receiver, balance: receiver.balance + value })
    }
    return { transaction, hasSucceeded, gasUsed: GAS_USED, effectiveGasPrice, index }
  }

  /** Removes transactions from the pool whose nonce is used. */
  #prune(): void {
    for (const [from, pool] of this.#pool) {
      const { nonce } = this.account(from)
      for (const used of pool.keys()) if (used < nonce) pool.delete(used)
    }
  }
}

/** Moves towards the market by at most an eighth, as EIP-1559 prescribes. */
function nextBaseFee(before: bigint, market: bigint): bigint {
  const step = before / 8n
  if (market > before + step) return before + step
  if (market < before - step) return before - step
  return market
}
