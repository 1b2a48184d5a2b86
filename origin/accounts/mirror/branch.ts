import { undo, type UndoLog } from './batch.ts'
import type { BlockId } from './account-config-reader.ts'
import type { AccountEvent } from './apply-event.ts'
import type { AccountsState } from '../state.ts'
import type { AccountsAtBlock } from './accounts-at-block.ts'

/**
 * Lowest block to which a branch can be rolled back. The hash is undefined only for the block before the contract's
 * deployment, which is valid on any chain.
 */
type BaseBlock = { number: number; hash?: string }

type AppliedBlock = BlockId & { undo: UndoLog }

/** The blocks of a branch at one time. Does not change when the branch does. */
export type BranchView = {
  tip: BaseBlock
  base: BaseBlock
  /** Returns the hash of a block, or undefined if the block is above the tip or below the base. */
  hashAt: (number: number) => string | undefined
}

/** Minimum number of blocks that can be undone, even if the finality depth is smaller. */
const UNDOABLE_BLOCKS_MIN = 64

/**
 * Consecutive blocks, and the state that results from their events. Invariant: `state` is the state at `tip`, and
 * undoing the stored blocks from last to first restores the state at `base`.
 */
export class Branch {
  readonly state: AccountsState
  readonly #finality: number
  #base: BaseBlock
  #blocks: AppliedBlock[] = []

  constructor(base: BaseBlock, state: AccountsState, finality: number) {
    this.#base = base
    this.state = state
    this.#finality = finality
  }

  get view(): BranchView {
    const base = this.#base
    const blocks = this.#blocks
    return {
      base,
      tip: blocks.at(-1) ?? base,
      hashAt: (number) =>
        number === base.number ? base.hash : blocks[number - base.number - 1]?.hash,
    }
  }

  get tip(): BaseBlock {
    return this.view.tip
  }

  get base(): BaseBlock {
    return this.#base
  }

  hashAt(number: number): string | undefined {
    return this.view.hashAt(number)
  }

  /**
   * Replaces the blocks above `ancestor` synchronously, so that no reader sees an intermediate state.
   * @param timestamp of the new tip
   * @throws if the events cannot be applied; the branch is then unchanged
   */
  switchTo(
    ancestor: number,
    blocks: readonly { block: BlockId; events: AccountEvent[] }[],
    timestamp: number,
  ): void {
    const kept = this.#blocks.slice(0, ancestor - this.#base.number)
    const removed = this.#blocks.slice(kept.length)
    const undone: UndoLog[] = removed.toReversed().map((one) => undo(one.undo))
    try {
      for (const { block, events } of blocks) {
        const changed = this.state.apply(events)
        undone.push(changed)
        kept.push({ number: block.number, hash: block.hash, undo: changed })
      }
    } catch (error) {
      for (const one of undone.toReversed()) undo(one)
      throw error
    }
    this.state.setChainTime(timestamp)
    this.#blocks = kept
    this.#prune()
  }

  /**
   * Applies the events of a range of blocks. The last block must be final, because the range cannot be undone.
   * @throws if the events cannot be applied; the branch is then unchanged
   */
  advance(to: BlockId, events: readonly AccountEvent[]): void {
    this.state.apply(events)
    this.#base = { number: to.number, hash: to.hash }
    this.#blocks = []
  }

  /** Returns undefined if no final block is known. The caller must close `accounts`. */
  finalState(): { block: BlockId; accounts: AccountsAtBlock } | undefined {
    const number = Math.max(this.tip.number - this.#finality, this.#base.number)
    const hash = this.hashAt(number)
    if (hash === undefined) return undefined
    const above = this.#blocks.slice(number - this.#base.number).map((one) => one.undo)
    return { block: { number, hash }, accounts: this.state.accountsBefore(above) }
  }

  #prune(): void {
    const old = this.#blocks.length - Math.max(this.#finality, UNDOABLE_BLOCKS_MIN)
    const last = this.#blocks[old - 1]
    if (!last) return
    this.#base = { number: last.number, hash: last.hash }
    this.#blocks = this.#blocks.slice(old)
  }
}
