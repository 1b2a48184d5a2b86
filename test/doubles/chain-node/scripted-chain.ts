/**
 * A chain that a test builds block by block, with real blooms, content hashes and reorganizations. Orphaned blocks
 * remain available by hash, as on real nodes.
 */
import { keccakOf } from './bloom.ts'
import {
  makeBlock,
  type ScriptedBlock,
  type ScriptedLog,
  type ScriptedTransaction,
} from './scripted-block.ts'

/** Logs and transactions of a block. A bare log gets its own transaction. */
export type BlockContents = readonly (ScriptedLog | ScriptedTransaction)[]

export type ChainOptions = {
  chainId?: number
  /** Number of the first block. Older blocks are unknown to every node. */
  firstBlock?: number
  /** Unix seconds of the first block. */
  firstTimestamp?: number
  /** Seconds between blocks. */
  blockTime?: number
  /** Distance of the chain's own `safe` and `finalized` tags from the head. */
  safeDepth?: number
  finalizedDepth?: number
  /** Chains with different salts share no blocks. */
  salt?: string
}

export class ScriptedChain {
  readonly chainId: number
  readonly firstBlock: number
  /** Results of `eth_getCode`, by lower-case address. */
  readonly code = new Map<string, string>()
  readonly #blocks: ScriptedBlock[] = []
  readonly #byHash = new Map<string, ScriptedBlock>()
  readonly #orphans: ScriptedBlock[] = []
  readonly #options: Required<ChainOptions>
  #mined = 0
  #transactions = 0
  #safe: number
  #finalized: number

  /** Starts with one empty block. */
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

  /** The `safe` block. A reorganization can lower it. */
  get safe(): number {
    return this.#safe
  }

  /** The `finalized` block. Never decreases. */
  get finalized(): number {
    return this.#finalized
  }

  /** A block of the canonical chain. */
  at(number: number): ScriptedBlock | undefined {
    return this.#blocks[number - this.firstBlock]
  }

  /** Any block ever mined, canonical or orphaned. */
  byHash(hash: string): ScriptedBlock | undefined {
    return this.#byHash.get(hash)
  }

  /** Orphaned blocks; those of the latest reorganization come first. */
  orphans(): readonly ScriptedBlock[] {
    return this.#orphans
  }

  isCanonical(block: ScriptedBlock): boolean {
    return this.at(block.number) === block
  }

  /** Existing blocks of a range. */
  slice(from: number, to: number): readonly ScriptedBlock[] {
    const first = Math.max(from - this.firstBlock, 0)
    return this.#blocks.slice(first, Math.max(to - this.firstBlock + 1, first))
  }

  /** Creates a unique transaction. */
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

  mineEmpty(count: number): void {
    for (let mined = 0; mined < count; mined++) this.mine()
  }

  /**
   * Replaces the latest blocks.
   * @param depth number of blocks to remove; finalized blocks cannot be removed
   * @param blocks contents of the new blocks, which may reuse removed transactions
   * @returns the removed blocks, lowest first
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
