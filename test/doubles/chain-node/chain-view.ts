import type { ScriptedBlock } from './scripted-block.ts'
import type { ScriptedChain } from './scripted-chain.ts'

/** A node's view of the chain: all but the latest blocks, or an orphaned branch. */
export type View = { lag: number } | { fork: string }

export const WHOLE: View = { lag: 0 }

export class ChainView {
  readonly chain: ScriptedChain
  readonly head: ScriptedBlock
  /** Blocks that only exist on its branch, by number. */
  readonly #branch = new Map<number, ScriptedBlock>()

  /** @param view an unknown or canonical branch is treated as the whole chain */
  constructor(chain: ScriptedChain, view: View) {
    this.chain = chain
    const forked = 'fork' in view ? chain.byHash(view.fork) : undefined
    let block = forked
    for (; block && !chain.isCanonical(block); block = chain.byHash(block.parentHash))
      this.#branch.set(block.number, block)
    const lag = 'lag' in view ? view.lag : 0
    this.head = forked ?? chain.at(Math.max(chain.head.number - lag, chain.firstBlock))!
  }

  at(number: number): ScriptedBlock | undefined {
    if (number > this.head.number) return undefined
    return this.#branch.get(number) ?? this.chain.at(number)
  }

  /** Also finds orphans, because nodes keep blocks they have seen. */
  byHash(hash: string): ScriptedBlock | undefined {
    const block = this.chain.byHash(hash)
    return block && block.number <= this.head.number ? block : undefined
  }

  /** @param tag block number as a hex quantity, or a block tag */
  named(tag: unknown): ScriptedBlock | undefined {
    if (tag === 'latest' || tag === 'pending') return this.head
    if (tag === 'earliest') return this.at(this.chain.firstBlock)
    const behind = this.chain.head.number - this.head.number
    if (tag === 'safe') return this.#marked(this.chain.safe - behind)
    if (tag === 'finalized') return this.#marked(this.chain.finalized - behind)
    return this.at(Number(tag))
  }

  #marked(number: number): ScriptedBlock | undefined {
    return this.at(Math.min(Math.max(number, this.chain.firstBlock), this.head.number))
  }

  /** Blocks of a range, as far as this node has them. */
  *between(from: number, to: number): Generator<ScriptedBlock> {
    const last = Math.min(to, this.head.number)
    for (let number = Math.max(from, this.chain.firstBlock); number <= last; number++) {
      const block = this.at(number)
      if (block) yield block
    }
  }
}
