import { backoffMs } from '../../backoff.ts'
import type { LogPosition } from '../chain-log.ts'
import type { BlockRange, CursorKind } from '../subscription.ts'

/** Backoff of a cursor, which doubles with each failed delivery. */
const RETRY_MS = 500
const RETRY_MAX_MS = 15_000

export class DeliveryCursor {
  readonly kind: CursorKind
  /** First log that has not been delivered. */
  next: LogPosition
  /** Null for a live cursor. */
  readonly range: BlockRange | null
  /** True while logs are read or delivered for the cursor. */
  isBusy = false
  /** True for a completed backfill that is stored in case its blocks are reorganized. */
  isComplete = false
  /** Next delivery attempt after the trigger queue was full or did not respond, in Unix milliseconds. */
  retryAt = 0
  /** Last delivery of the backfill's progress, in Unix milliseconds. */
  progressSentAt = 0
  #failures = 0
  /** Lowest block to which a reorganization has reset the cursor since the last delivery started. */
  #floor = Number.POSITIVE_INFINITY

  constructor(kind: CursorKind, next: LogPosition, range: BlockRange | null = null) {
    this.kind = kind
    this.next = next
    this.range = range
  }

  /** Call when a delivery starts. A reorganization during the delivery takes precedence over its outcome. */
  beginDelivery(): void {
    this.#floor = Number.POSITIVE_INFINITY
  }

  advance(to: LogPosition): void {
    this.next = to.block >= this.#floor ? { block: this.#floor, logIndex: 0 } : to
  }

  /**
   * Resets the cursor, because the block and later ones were replaced.
   * @returns true if the cursor had already moved past the start of that block
   */
  rollBack(block: number): boolean {
    this.#floor = Math.min(this.#floor, block)
    if (this.next.block < block || (this.next.block === block && this.next.logIndex === 0))
      return false
    this.isComplete = false
    this.next = { block, logIndex: 0 }
    return true
  }

  /** Schedules a retry after a delivery that was not accepted in full. */
  scheduleRetry(now: number): void {
    this.retryAt = now + backoffMs(this.#failures, RETRY_MS, RETRY_MAX_MS)
    this.#failures++
  }

  /** Clears the backoff, because the trigger queue accepts logs again. */
  clearBackoff(): void {
    this.retryAt = 0
    this.#failures = 0
  }
}
