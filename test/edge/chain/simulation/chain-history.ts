/** The present and past of the simulated chain: the ground truth against which runs are judged. */
import type { Finality } from '../../../../edge/chain/finality.ts'
import type { LogFilter } from '../../../../edge/chain/matching/log-filter.ts'
import {
  detailsOf,
  type RpcLog,
  type ScriptedBlock,
  type ScriptedTransaction,
} from '../../../doubles/chain-node/scripted-block.ts'
import { FACTORY } from './contracts.ts'
import type { BlockContents, ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'

/** The logs that an owner asked for, as the model understands it. */
export type ExpectedFilter = Pick<LogFilter, 'topic0' | 'topics'> & {
  addresses: readonly string[]
  /** Absent if there are no conditions on decoded values. */
  holds?: (log: RpcLog) => boolean
  /** Set if the owner asked for each n-th block instead of logs. */
  every?: number
  /** Set if the owner asked for contracts that the factory created from a block on. */
  createdFrom?: number
  /** Set if the owner asked for transactions instead of logs, as in the config. */
  transactions?: WantedTransactions
}

export type WantedTransactions = {
  to?: string[]
  from?: string[]
  selector?: string
  min_value?: string
  status?: 'success' | 'reverted' | 'any'
}

/** A log or a transaction with an identity that stays the same when a reorg moves it to another block, or a block. */
export type ChainEvent = {
  /** Transaction, address, topics, data, and the number of identical logs before it in its transaction. */
  identity: string
  /** Undefined if the event is a transaction, or the block itself, which is identified by its hash. */
  log: RpcLog | undefined
  transaction?: ScriptedTransaction
  of: ScriptedBlock
  block: number
  index: number
}

/** A block that a reorg removed. */
type Lost = {
  block: ScriptedBlock
  /** The maximum distance to a head on top of it, in blocks. */
  depth: number
  wasSafe: boolean
}

export class ChainHistory {
  readonly chain: ScriptedChain
  readonly lost: Lost[] = []
  /** The number of chain changes at the time when each block was mined, by block hash. */
  readonly #minedAt = new Map<string, number>()
  /** The highest head on top of each block before a reorg, by block hash. */
  readonly #tops = new Map<string, number>()
  #changes = 0

  constructor(chain: ScriptedChain) {
    this.chain = chain
  }

  /** The current number of chain changes, to compare with the times of blocks. */
  get moment(): number {
    return this.#changes
  }

  mine(contents: BlockContents): void {
    this.#minedAt.set(this.chain.mine(contents).hash, ++this.#changes)
  }

  /** @param refill returns the contents of the new blocks, given the orphaned ones */
  reorg(depth: number, refill: (orphans: readonly ScriptedBlock[]) => BlockContents[]): void {
    const { number: head } = this.chain.head
    const { safe } = this.chain
    // A new branch can be shorter than the old one, so the head at the time of the reorg is not always the highest.
    for (const { hash } of this.chain.slice(this.chain.finalized + 1, head))
      this.#tops.set(hash, Math.max(head, this.#tops.get(hash) ?? 0))
    const orphans = this.chain.slice(head - depth + 1, head)
    for (const block of orphans) {
      const top = this.#tops.get(block.hash) ?? head
      this.lost.push({ block, depth: top - block.number, wasSafe: block.number <= safe })
    }
    this.chain.reorg(depth, [])
    this.#changes++
    for (const contents of refill(orphans)) this.mine(contents)
  }

  /** Returns the number of the last block that is currently final. */
  readonly lastFinal = (finality: Finality): number =>
    typeof finality === 'number' ? this.chain.head.number - finality : this.chain[finality]

  /** Returns the highest block that the chain shares with the branch of a block. */
  commonWith(hash: string): number {
    let block = this.chain.byHash(hash)
    while (block && !this.chain.isCanonical(block)) block = this.chain.byHash(block.parentHash)
    return block?.number ?? -1
  }

  minedAt(event: ChainEvent): number {
    return this.#minedAt.get(event.of.hash) ?? 0
  }

  /** Returns the events on the current chain that match a filter, in order. */
  matching(filter: ExpectedFilter): ChainEvent[] {
    const created: Created = new Map()
    return this.chain
      .slice(this.chain.firstBlock, this.chain.head.number)
      .flatMap((block) => matchingIn(block, filter, learn(created, block, filter)))
  }

  /** Returns the matching events in blocks that a reorg removed after they were final. */
  lostAsFinal(filter: ExpectedFilter, finality: Finality): ChainEvent[] {
    return this.lost
      .filter(({ depth, wasSafe }) => {
        if (finality === 'finalized') return false
        return finality === 'safe' ? wasSafe : depth >= finality
      })
      .flatMap(({ block }) => matchingIn(block, filter, this.#createdUpTo(block, filter)))
  }

  /** Returns the contracts that the factory created on the branch of a block. */
  #createdUpTo(block: ScriptedBlock, filter: ExpectedFilter): Created {
    const created: Created = new Map()
    if (filter.createdFrom === undefined) return created
    const branch: ScriptedBlock[] = []
    let next: ScriptedBlock | undefined = block
    for (; next && next.number >= filter.createdFrom; next = this.chain.byHash(next.parentHash))
      branch.unshift(next)
    for (const one of branch) learn(created, one, filter)
    return created
  }
}

/** Position of the log that named each contract. */
type Created = Map<string, { block: number; index: number }>

function learn(
  created: Created,
  { number, logs }: ScriptedBlock,
  { createdFrom }: ExpectedFilter,
): Created {
  if (createdFrom === undefined || number < createdFrom) return created
  for (const [index, { address, topics }] of logs.entries()) {
    const made = `0x${topics[1]?.slice(-40)}`
    const isCreation = address === FACTORY.address && topics[0] === FACTORY.topic0
    if (isCreation && !created.has(made)) created.set(made, { block: number, index })
  }
  return created
}

function matchingIn(block: ScriptedBlock, filter: ExpectedFilter, created: Created): ChainEvent[] {
  const { number, hash } = block
  if (filter.transactions) return transactionsIn(block, filter.transactions)
  if (filter.every === undefined)
    return eventsOf(block).filter(
      (event) => isContract(event, filter, created) && isMatched(event.log!, filter),
    )
  if (number % filter.every !== 0) return []
  return [{ identity: `block ${hash}`, log: undefined, of: block, block: number, index: 0 }]
}

function transactionsIn(block: ScriptedBlock, wanted: WantedTransactions): ChainEvent[] {
  return block.transactions.flatMap((transaction, index) => {
    const { from, to, value, input, isSuccess } = detailsOf(transaction)
    const { status = 'success', selector } = wanted
    const isWanted =
      (wanted.to?.includes(to ?? 'nobody') ?? true) &&
      (wanted.from?.includes(from) ?? true) &&
      (selector === undefined || input.startsWith(selector)) &&
      Number(value) >= Number(wanted.min_value ?? 0) &&
      (status === 'any' || (status === 'success') === isSuccess)
    if (!isWanted) return []
    const identity = `transaction ${transaction.hash} ${isSuccess}`
    return [{ identity, log: undefined, transaction, of: block, block: block.number, index }]
  })
}

export function eventsOf(block: ScriptedBlock): ChainEvent[] {
  const seen = new Map<string, number>()
  return block.logs.map((log, index) => {
    const words = [log.transactionHash, log.address, log.topics.join(), log.data].join(' ')
    const ordinal = seen.get(words) ?? 0
    seen.set(words, ordinal + 1)
    return { identity: `${words} ${ordinal}`, log, of: block, block: block.number, index }
  })
}

function isContract(
  { log, block, index }: ChainEvent,
  { addresses, createdFrom }: ExpectedFilter,
  created: Created,
): boolean {
  const { address } = log!
  if (createdFrom === undefined) return addresses.includes(address)
  const made = created.get(address)
  return made !== undefined && (made.block < block || (made.block === block && made.index < index))
}

/** Reimplemented, so that it shares no mistake with the code under test. */
function isMatched(log: RpcLog, filter: ExpectedFilter): boolean {
  if (log.topics[0] !== filter.topic0) return false
  for (const [place, allowed] of filter.topics.entries())
    if (allowed && !allowed.includes(log.topics[place + 1] ?? '')) return false
  return filter.holds?.(log) ?? true
}
