import type { Position } from '../chain-log.ts'
import type { BlockRange, Lane } from '../subscription.ts'

/** A lane that is asked again waits this long first, doubling up to the longest. */
const AGAIN_MS = 500
const AGAIN_MAX_MS = 15_000

/** How far a lane that is not in step has been told, and when it is told more. */
export class LanePosition {
  readonly lane: Lane
  /** The first log that it was not told of, or what comes before it. */
  next: Position
  /** Of a backfill: all of its blocks. */
  readonly range: BlockRange | null
  /** Somebody is reading for it, or telling it. */
  isBusy = false
  /** Of a backfill that has ended: it is here in case that blocks of it are taken back. */
  isResting = false
  /** When it may be told again, Unix milliseconds: its queue was full, or its object away. */
  retryAt = 0
  /** When the trigger was last told how far its backfill is. */
  toldAt = 0
  #failures = 0
  /** The lowest block that a reorganisation has sent it back to since it was last told. */
  #floor = Number.POSITIVE_INFINITY

  constructor(lane: Lane, next: Position, range: BlockRange | null = null) {
    this.lane = lane
    this.next = next
    this.range = range
  }

  /** Before it is told of logs: what a reorganisation does from here on holds against the answer. */
  begin(): void {
    this.#floor = Number.POSITIVE_INFINITY
  }

  /** It has been told of all before a place. */
  advance(to: Position): void {
    this.next = to.block >= this.#floor ? { block: this.#floor, logIndex: 0 } : to
  }

  /** Blocks from this one on are new. @returns whether it had been told of some of them */
  goBack(block: number): boolean {
    this.#floor = Math.min(this.#floor, block)
    if (this.next.block < block || (this.next.block === block && this.next.logIndex === 0))
      return false
    this.isResting = false
    this.next = { block, logIndex: 0 }
    return true
  }

  /** It did not take all. */
  refused(now: number): void {
    this.retryAt = now + Math.min(AGAIN_MS * 2 ** this.#failures, AGAIN_MAX_MS)
    this.#failures = Math.min(this.#failures + 1, 10)
  }

  /** It takes logs again. */
  hasRoom(): void {
    this.retryAt = 0
    this.#failures = 0
  }
}
