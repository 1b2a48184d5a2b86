import { undo, type Undo } from './batch.ts'
import type { BlockId } from './chain-reader.ts'
import type { AccountEvent } from './fold.ts'
import type { Accounts, AccountsState } from '../state.ts'

/** Where a branch begins. Without a hash: before the contract's first block, which fits every chain. */
export type Base = { number: number; hash?: string }

type Applied = BlockId & { undo: Undo }

/** At least so many blocks can be undone, however shallow what counts as final is. */
const KEPT_MIN = 64

/**
 * A line of blocks and the state at its last one. Invariant: `state` is that of the very block `tip`, and undoing
 * the kept blocks, the last first, leads to the state at `base`.
 */
export class Branch {
  readonly state: AccountsState
  readonly #finality: number
  #base: Base
  #blocks: Applied[] = []

  /** @param state the accounts at `base` */
  constructor(base: Base, state: AccountsState, finality: number) {
    this.#base = base
    this.state = state
    this.#finality = finality
  }

  get tip(): Base {
    return this.#blocks.at(-1) ?? this.#base
  }

  /** The lowest block that can be gone back to. */
  get base(): Base {
    return this.#base
  }

  /** The hash of a block of this branch; `undefined` above its tip and below its base. */
  hashAt(number: number): string | undefined {
    if (number === this.#base.number) return this.#base.hash
    return this.#blocks[number - this.#base.number - 1]?.hash
  }

  /**
   * Leaves the blocks above `ancestor` and takes others, without a pause: no reader sees what lies between.
   * @throws what the events throw; the branch is as it was then
   */
  switchTo(ancestor: number, blocks: readonly { block: BlockId; events: AccountEvent[] }[]): void {
    const kept = this.#blocks.slice(0, ancestor - this.#base.number)
    const left = this.#blocks.slice(kept.length)
    const undone: Undo[] = left.toReversed().map((one) => undo(one.undo))
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
    this.#blocks = kept
    this.#forget()
  }

  /** Takes a stretch that ends at a final block. @throws what the events throw; the branch is as it was then */
  advance(to: BlockId, events: readonly AccountEvent[]): void {
    this.state.apply(events)
    this.#base = { number: to.number, hash: to.hash }
    this.#blocks = []
  }

  /** The accounts at the last block that is final; `undefined` while none is known. */
  final(): { block: BlockId; accounts: Accounts } | undefined {
    const number = Math.max(this.tip.number - this.#finality, this.#base.number)
    const hash = this.hashAt(number)
    if (hash === undefined) return undefined
    const above = this.#blocks.slice(number - this.#base.number).map((one) => one.undo)
    return { block: { number, hash }, accounts: this.state.accountsBefore(above) }
  }

  #forget(): void {
    const old = this.#blocks.length - Math.max(this.#finality, KEPT_MIN)
    const last = this.#blocks[old - 1]
    if (!last) return
    this.#base = { number: last.number, hash: last.hash }
    this.#blocks = this.#blocks.slice(old)
  }
}
