/**
 * A chain that a test writes block by block: with real blooms, hashes that cover what is in the block, and
 * reorganisations. What was orphaned is still known by its hash, as nodes know it.
 */
import { keccakOf } from './bloom.ts'
import {
  makeBlock,
  type ScriptedBlock,
  type ScriptedLog,
  type ScriptedTransaction,
} from './scripted-block.ts'

/** What a block is made of. A bare log has a new transaction of its own. */
export type BlockContents = readonly (ScriptedLog | ScriptedTransaction)[]

export type ChainOptions = {
  chainId?: number
  /** The number of its first block: older ones are unknown, to every node. */
  firstBlock?: number
  /** Unix seconds of the first block. */
  firstTimestamp?: number
  /** Seconds from a block to the next. */
  blockTime?: number
  /** How far behind the head the chain's own marks follow. */
  safeDepth?: number
  finalizedDepth?: number
  /** Two chains of different salts have no block in common. */
  salt?: string
}

export class ScriptedChain {
  readonly chainId: number
  readonly firstBlock: number
  /** What `eth_getCode` answers, by address in lower case. */
  readonly code = new Map<string, string>()
  readonly #blocks: ScriptedBlock[] = []
  readonly #byHash = new Map<string, ScriptedBlock>()
  readonly #orphans: ScriptedBlock[] = []
  readonly #options: Required<ChainOptions>
  #mined = 0
  #transactions = 0
  #safe: number
  #finalized: number

  /** It begins with one empty block. */
  constructor(options: ChainOptions = {}) {
    this.#options = {
      chainId: 1,
      firstBlock: 0,
      firstTimestamp: 1_700_000_000,
      blockTime: 12,
      safeDepth: 32,
      finalizedDepth: 64,
      salt: '',
      ...options,
    }
    this.chainId = this.#options.chainId
    this.firstBlock = this.#safe = this.#finalized = this.#options.firstBlock
    this.mine()
  }

  get head(): ScriptedBlock {
    return this.#blocks.at(-1)!
  }

  /** The highest block that the chain names so. It may go back with a reorganisation. */
  get safe(): number {
    return this.#safe
  }

  /** Never goes back. */
  get finalized(): number {
    return this.#finalized
  }

  /** A block of the chain as it is now. */
  at(number: number): ScriptedBlock | undefined {
    return this.#blocks[number - this.firstBlock]
  }

  /** Any block that was ever mined. */
  byHash(hash: string): ScriptedBlock | undefined {
    return this.#byHash.get(hash)
  }

  /** Blocks that the chain has left, the latest reorganisation's first. */
  orphans(): readonly ScriptedBlock[] {
    return this.#orphans
  }

  isCanonical(block: ScriptedBlock): boolean {
    return this.at(block.number) === block
  }

  /** Blocks of a stretch, as far as there are. */
  slice(from: number, to: number): readonly ScriptedBlock[] {
    const first = Math.max(from - this.firstBlock, 0)
    return this.#blocks.slice(first, Math.max(to - this.firstBlock + 1, first))
  }

  /** A transaction that no other one is like. */
  transaction(logs: readonly ScriptedLog[]): ScriptedTransaction {
    return { hash: keccakOf(`transaction ${this.#options.salt} ${this.#transactions++}`), logs }
  }

  mine(contents: BlockContents = []): ScriptedBlock {
    const parent = this.#blocks.at(-1)
    const { firstBlock, firstTimestamp, blockTime, salt, safeDepth, finalizedDepth } = this.#options
    const block = makeBlock(
      {
        number: parent ? parent.number + 1 : firstBlock,
        parentHash: parent?.hash ?? `0x${'0'.repeat(64)}`,
        timestamp: parent ? parent.timestamp + blockTime : firstTimestamp,
        transactions: contents.map((item) => ('hash' in item ? item : this.transaction([item]))),
      },
      `${salt} ${this.#mined++}`,
    )
    this.#blocks.push(block)
    this.#byHash.set(block.hash, block)
    this.#safe = Math.max(this.#safe, block.number - safeDepth)
    this.#finalized = Math.max(this.#finalized, block.number - finalizedDepth)
    return block
  }

  /** Mines so many blocks without anything in them. */
  mineEmpty(count: number): void {
    for (let mined = 0; mined < count; mined++) this.mine()
  }

  /**
   * The latest blocks go, others take their place.
   * @param depth how many blocks go; a finalized one never does
   * @param blocks what the new ones are made of: transactions that went may be among it
   * @returns what went, the lowest first
   */
  reorg(depth: number, blocks: readonly BlockContents[]): ScriptedBlock[] {
    const ancestor = this.head.number - depth
    if (ancestor < this.#finalized) throw new Error(`block ${this.#finalized} is finalized`)
    const orphans = this.#blocks.splice(ancestor + 1 - this.firstBlock)
    this.#orphans.unshift(...orphans)
    this.#safe = Math.min(this.#safe, ancestor)
    for (const contents of blocks) this.mine(contents)
    return orphans
  }
}
