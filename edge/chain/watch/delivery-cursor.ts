import { backoffMs } from '../../../shared/backoff.ts'
import type { LogPosition } from '../chain-log.ts'
import type { BlockRange, CursorKind } from '../subscription.ts'

/** Initial backoff of a cursor. The backoff doubles with each failed delivery. */
const RETRY_MS = 500
const RETRY_MAX_MS = 15_000

export class DeliveryCursor {
  readonly kind: CursorKind
  /** Position of the first log that has not been delivered. */
  next: LogPosition
  /** Block range of a backfill. Null for a live cursor. */
  readonly range: BlockRange | null
  isBusy = false
  /** True if the backfill is complete, but its cursor is still stored in case its blocks are reorganized. */
  isComplete = false
  /** Time of the next delivery attempt after the trigger queue was full or did not respond, in Unix milliseconds. */
  retryAt = 0
  /** Time at which the backfill's progress was last delivered, in Unix milliseconds. */
  progressSentAt = 0
  #failures = 0
  /** Lowest block to which a reorganization has reset the cursor since the last delivery started. */
  #floor = Number.POSITIVE_INFINITY

  constructor(kind: CursorKind, next: LogPosition, range: BlockRange | null = null) {
    this.kind = kind
    this.next = next
    this.range = range
  }

  /**
   * Must be called when a delivery starts, so that a reorganization during the delivery takes precedence over its
   * outcome.
   */
  beginDelivery(): void {
    this.#floor = Number.POSITIVE_INFINITY
  }

  advance(to: LogPosition): void {
    this.next = to.block >= this.#floor ? { block: this.#floor, logIndex: 0 } : to
  }

  /**
   * Resets the cursor to the start of a block, because this block and later blocks were replaced.
   * @returns true if the cursor had already moved past the start of the block
   */
  rollBack(block: number): boolean {
    this.#floor = Math.min(this.#floor, block)
    if (this.next.block < block || (this.next.block === block && this.next.logIndex === 0))
      return false
    this.isComplete = false
    this.next = { block, logIndex: 0 }
    return true
  }

  scheduleRetry(now: number): void {
    this.retryAt = now + backoffMs(this.#failures, RETRY_MS, RETRY_MAX_MS)
    this.#failures++
  }

  clearBackoff(): void {
    this.retryAt = 0
    this.#failures = 0
  }
}
